// Command llmblob keeps large tool outputs out of an LLM's context and lets the model look into them.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], newApp())) }
