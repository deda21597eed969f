import { afterEach, expect, it, vi } from 'vitest'
import { CommandFailure } from '../failure.ts'
import { makeOutput } from './output.ts'
import { createPaint, escapeControl } from './paint.ts'

const HOSTILE = 'a\u001b[2J\u001b]8;;https://evil.test\u0007\u009b31m\u202etxt.exe\u2066\u200e\u061c\u0000\r'
const UNSEEN = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

const written: string[] = []
const keep = (text: string | Uint8Array): boolean => written.push(String(text)) > 0
afterEach(() => {
  vi.restoreAllMocks()
  written.length = 0
})
function everything(argv: readonly string[]): string {
  vi.spyOn(process.stdout, 'write').mockImplementation(keep)
  vi.spyOn(process.stderr, 'write').mockImplementation(keep)
  const output = makeOutput(argv, {})
  output.answer([`| ${HOSTILE} |`], { name: HOSTILE })
  output.piece(HOSTILE)
  output.note(HOSTILE)
  output.aside(HOSTILE)
  output.failed(new CommandFailure(HOSTILE, { code: 'invalid', next: HOSTILE }))
  return written.join('')
}

it('escapes control sequences and bidirectional characters in text output', () => {
  const shown = everything([])
  expect(shown).not.toMatch(UNSEEN)
  expect(shown).toContain('‹U+001B›[2J')
  expect(shown).toContain('‹U+202E›txt.exe')
})

it('escapes control characters in JSON without changing its meaning', () => {
  const shown = everything(['--json'])
  expect(shown).not.toMatch(UNSEEN)
  expect(JSON.parse(written[0] ?? '')).toEqual({ name: HOSTILE })
})

it('keeps its own colors on a terminal and no other sequence', () => {
  const paint = createPaint({ env: {}, terminal: true, refused: false })
  expect(escapeControl(paint.red(HOSTILE.slice(0, 5)))).toBe('\u001b[31ma‹U+001B›[2J\u001b[39m')
  expect(escapeControl(paint.bold('a\u001b[32m ✓ Done'))).toBe('\u001b[1ma‹U+001B›[32m ✓ Done\u001b[22m')
})
