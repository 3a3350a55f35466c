// Command nothing does nothing: what it takes is what any process of Go costs on a machine.
package main

func main() {}
