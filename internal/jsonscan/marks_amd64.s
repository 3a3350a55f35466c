#include "textflag.h"

// func nextMarks(data []byte, i int) (at int, marks uint64)
//
// SSE2, which every amd64 has. A byte is marked where one of these has its high bit set: the comparisons with a quote, with a
// backslash and of min(byte, 0x1f) with the byte, and the byte itself.
TEXT ·nextMarks(SB), NOSPLIT, $0-48
	MOVQ data_base+0(FP), SI
	MOVQ data_len+8(FP), DX
	MOVQ i+24(FP), AX
	MOVQ $0x2222222222222222, R8
	MOVQ R8, X0
	PUNPCKLQDQ X0, X0
	MOVQ $0x5c5c5c5c5c5c5c5c, R8
	MOVQ R8, X1
	PUNPCKLQDQ X1, X1
	MOVQ $0x1f1f1f1f1f1f1f1f, R8
	MOVQ R8, X2
	PUNPCKLQDQ X2, X2
	SUBQ $64, DX // the last offset of a whole block

loop:
	CMPQ AX, DX
	JGT  end
	MOVOU (SI)(AX*1), X4
	MOVOU 16(SI)(AX*1), X7
	MOVOU 32(SI)(AX*1), X10
	MOVOU 48(SI)(AX*1), X13

	MOVO X4, X5
	MOVO X4, X6
	PCMPEQB X0, X5
	PMINUB X2, X6
	PCMPEQB X4, X6
	POR X5, X6
	MOVO X4, X5
	PCMPEQB X1, X5
	POR X5, X4
	POR X6, X4

	MOVO X7, X8
	MOVO X7, X9
	PCMPEQB X0, X8
	PMINUB X2, X9
	PCMPEQB X7, X9
	POR X8, X9
	MOVO X7, X8
	PCMPEQB X1, X8
	POR X8, X7
	POR X9, X7

	MOVO X10, X11
	MOVO X10, X12
	PCMPEQB X0, X11
	PMINUB X2, X12
	PCMPEQB X10, X12
	POR X11, X12
	MOVO X10, X11
	PCMPEQB X1, X11
	POR X11, X10
	POR X12, X10

	MOVO X13, X14
	MOVO X13, X3
	PCMPEQB X0, X14
	PMINUB X2, X3
	PCMPEQB X13, X3
	POR X14, X3
	MOVO X13, X14
	PCMPEQB X1, X14
	POR X14, X13
	POR X3, X13

	MOVO X4, X5
	MOVO X10, X6
	POR X7, X5
	POR X13, X6
	POR X6, X5
	PMOVMSKB X5, R8
	TESTL R8, R8
	JNZ found
	ADDQ $64, AX
	JMP loop

found:
	PMOVMSKB X4, R8
	PMOVMSKB X7, R9
	PMOVMSKB X10, R10
	PMOVMSKB X13, R11
	SHLQ $16, R9
	SHLQ $32, R10
	SHLQ $48, R11
	ORQ R9, R8
	ORQ R10, R8
	ORQ R11, R8
	MOVQ AX, at+32(FP)
	MOVQ R8, marks+40(FP)
	RET

end:
	MOVQ AX, at+32(FP)
	MOVQ $0, marks+40(FP)
	RET
