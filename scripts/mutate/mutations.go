package main

// mutation is a fault put into the code, and the tests that must see it.
type mutation struct {
	what     string
	file     string
	old, new string // old stands once in the file
	pkg, run string // the tests: a package, and a pattern of names
}

const (
	durableFile = "internal/durable/durable.go"
	storeFile   = "pkg/fsstore/fsstore.go"
	collectFile = "pkg/fsstore/collect.go"
	confineFile = "pkg/inspect/confine.go"

	store   = "./pkg/fsstore"
	command = "./cmd/llmblob"
	inspect = "./pkg/inspect"

	power     = "^TestPowerLoss$"
	faults    = "^TestFaults$"
	processes = "^TestProcesses$"
)

var mutations = []mutation{
	// Each sync.
	{"the bytes of a blob are not synced", durableFile, "return f.dir.fs.Sync(f.file)", "return nil", store, power},
	{"the name of a blob is not synced", storeFile, "if err := s.dir.Sync(); err != nil {", "if err := error(nil); err != nil {", store, power},
	{"a refresh is not synced", durableFile, "return d.fs.Sync(f)", "return nil", store, power},
	{"a deletion is not synced", storeFile, "err = errors.Join(err, dir.Sync())", "_ = dir", store, power},
	{"what gc deleted is not synced", collectFile, "return n, bytes, dir.Sync()", "return n, bytes, nil", store, power},
	{"the name of a new store is not synced", durableFile, "if err := m.syncName(path); err != nil {", "if err := error(nil); err != nil {", store, power},
	{"the names of its parents are not synced", durableFile, "err := m.syncName(parent)", "err := error(nil)", store, power},
	{"parents are synced after the store is made", durableFile, "if err := m.parents(path); err != nil {", "if err := errors.Join(os.MkdirAll(path, dirMode), m.parents(path)); err != nil {", store, power},

	// Publishing.
	{"published by a plain rename", durableFile, "err := d.fs.Link(d.root, f.name, name)", "err := d.root.Rename(f.name, name)", store, "^TestPromises$"},
	{"published before it is synced", storeFile, "	if err := <-s.synced; err != nil {\n", "	_, _ = s.publish(fileName(id, t), fileName(id, otherType(t)), data)\n\tif err := <-s.synced; err != nil {\n", store, power},
	{"the error of close is ignored", durableFile, "if err := f.Close(); err != nil { // what a network", "if err := f.Close(); false { // what a network", store, faults},
	{"the error of a sync is ignored", storeFile, "return s.Sync()", "_ = s.Sync()\n\treturn nil", store, faults},
	{"the error of setting the time is ignored", storeFile, "if err := s.Touch(now); err != nil &&", "if err := s.Touch(now); false &&", store, faults},
	{"the temporary name stays", durableFile, "_ = f.Withdraw() // the blob", "// the blob", "./internal/durable", "LeavesNoOther"},
	{"a file that could not be made private stays open", durableFile, "return nil, errors.Join(err, t.Discard())\n\t}\n\treturn t, nil", "return nil, err\n\t}\n\treturn t, nil", store, faults},
	{"a directory that was synced stays open", durableFile, "return errors.Join(m.SyncDir(dir), m.Close(dir))", "return m.SyncDir(dir)", store, faults},
	{"blobs have mode 0644", durableFile, "fileMode = 0o600", "fileMode = 0o644", store, "Modes"},
	{"directories have mode 0755", durableFile, "dirMode  = 0o700", "dirMode  = 0o755", store, "Modes"},
	{"what is no regular file is opened", durableFile, "if !before.Mode().IsRegular() {", "if false {", "./internal/durable", "RegularFiles"},
	{"what is no regular file is a blob", storeFile, "if !info.Mode().IsRegular() {", "if false {", store, "Hostile"},

	// An id that is there.
	{"other bytes under one id are success", storeFile, "if !bytes.Equal(old.Bytes(), data) {", "if !bytes.Equal(old.Bytes(), data) && false {", store, "^TestPromises$"},
	{"a blob that is stored again stays old", storeFile, "return s.dir.Touch(name, s.now())", "return nil", store, "Young"},
	{"a clock that is behind makes a blob old", durableFile, "if info.ModTime().Before(now) {", "if info != nil {", store, "Older"},
	{"a blob is published without the lock", storeFile, "	defer unlock()\n\tif _, err := s.dir.Info(otherName)", "	unlock()\n\tif _, err := s.dir.Info(otherName)", store, "HoldsTheLock"},

	{"the facts are looked at without the lock", storeFile, "	return s.dir.Info(name)\n", "	unlock()\n\tfacts, err := s.dir.Info(name)\n\t_, _ = s.dir.Lock()\n\treturn facts, err\n", store, "FactsUnderTheLock"},

	// Collecting.
	{"the grace period is ignored", collectFile, "!info.ModTime().Before(olderThan)", "info.ModTime().IsZero()", store, "^TestPromises$"},
	{"the age is looked at before the lock", collectFile, "	defer unlock()\n\tif err := ctx.Err()", "	unlock()\n\tif err := ctx.Err()", store, "UnderTheLock"},
	{"what a history mentions is collected", "pkg/blob/garbage.go", "blobs[i].referenced = true", "blobs[i].referenced = false", store, processes},
	{"a temporary file that is in use is collected", durableFile, " || held(f)", "", store, "^TestPromises$|RunThatGoesOn"},
	{"a temporary file is not marked as in use", durableFile, "\thold(f)\n", "", store, "^TestPromises$|RunThatGoesOn"},
	{"a new file is not looked for once it is held", durableFile, "_, err = d.Info(t.name)", "_ = d", store, "BeforeItIsHeld"},
	{"a young temporary file is collected", durableFile, "!info.ModTime().Before(olderThan) || ", "", store, "CollectStaged$"},

	{"a temporary file that vanishes fails gc", durableFile, "if errors.Is(err, fs.ErrNotExist) { // its owner", "if false { // its owner", store, "Vanishes$"},

	// Confinement.
	{"what inspect answered allows a blob", confineFile, "return name != ToolName && ", "return name != \"\" || ", inspect, "TheModelWrote"},
	{"what a sub-agent is told allows a blob", confineFile, "it.Turn && !it.Outside)", "it.Turn)", inspect, "TheModelWrote"},
	{"an error refers to a blob", "pkg/inspect/explain.go", "withoutReferences(b.String())", "b.String()", inspect, "AreNoReferences"},

	// Commands.
	{"a deletion that fails is success", storeFile, `return fmt.Errorf("delete blob %s: %w", id, err)`, "return nil", command, "^TestCommandsMeetFaults$/^rm$"},
	{"an output is read back from the disk that failed", "pkg/offload/output.go", "inMemory = inMemory[:min(int64(len(inMemory)), written)]", "inMemory = nil", command, "^TestCommandsMeetFaults$/^capture"},
	{"what could not be written is not printed", "pkg/offload/output.go", "io.MultiReader(readBack, bytes.NewReader(unwritten), whole)", "io.MultiReader(readBack, bytes.NewReader(unwritten[:0]), whole)", command, "^TestCommandsMeetFaults$/^capture"},
	{"a summary is printed although its blob failed", "pkg/offload/output.go", "	record, err := o.commit(out.stage, facts)\n\tif err != nil {", "	record, err := o.commit(out.stage, facts)\n\tif record.ID == \"-\" {", command, "^TestCommandsMeetFaults$/^capture"},
	{"a clamp is off by one", "pkg/selector/select.go", "max(0, from), min(to, in.n)", "max(0, from), min(to, in.n-1)", "./pkg/selector", "."},
}
