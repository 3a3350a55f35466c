package main

import "io"

// The statuses of capture that are not the command's.
const (
	exitSelf       = 125 // llmblob failed before the command ran, or could not store with --strict
	exitCannotRun  = 126
	exitNoCommand  = 127
	exitSignalBase = 128
)

// captureSource is where output comes from.
type captureSource interface {
	io.Reader
	// finish is called once the output has been read, and waits for the end. It tells the exit status, and of a command
	// the facts of its run.
	finish() (status int, run *runFacts)
}

// stdinSource is standard input. The first interrupt is ignored, as tee -i does: the program before us gets it too, and
// the end of its output decides.
type stdinSource struct {
	io.Reader
	stop *signalWatch
}

func readStdin(a *app) (captureSource, error) {
	f, err := a.input(nil)
	if err != nil {
		return nil, err
	}
	stop := watchSignals(2)
	return &stdinSource{Reader: stop.reader(f, io.EOF), stop: stop}, nil
}

func (s *stdinSource) finish() (int, *runFacts) {
	if s.stop.signal() == nil {
		return exitDone, nil
	}
	return s.stop.status(), nil
}
