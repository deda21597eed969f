import { execFileSync } from 'node:child_process'
import { appendFileSync, copyFileSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { contentMark } from './folders.ts'

function tempFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-mark-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'session.jsonl')
  writeFileSync(file, text)
  return file
}

describe.each([
  ['short', 40],
  ['long', 40_000],
])('the mark of a %s file', (_length, lines) => {
  const text = Array.from({ length: lines }, (_, n) => `{"row":${n}}\n`).join('')

  it('stays when only its times change, and when it is restored from a copy', async () => {
    const file = tempFile(text)
    const mark = await contentMark(file)
    utimesSync(file, new Date(1_000), new Date(2_000))
    expect(await contentMark(file)).toBe(mark)
    copyFileSync(file, `${file}.copy`)
    rmSync(file)
    expect(await contentMark(file)).toBeUndefined()
    copyFileSync(`${file}.copy`, file)
    expect(await contentMark(file)).toBe(mark)
  })

  it('changes when it grows or shrinks, and when its beginning or its end is rewritten in place', async () => {
    const file = tempFile(text)
    const seen = new Set([await contentMark(file)])
    const change = async (work: () => void) => {
      work()
      const mark = await contentMark(file)
      expect(seen).not.toContain(mark)
      seen.add(mark)
    }
    await change(() => appendFileSync(file, '{"row":-1}\n'))
    await change(() => writeFileSync(file, text.slice(0, -1)))
    await change(() => writeFileSync(file, text.replace('{"row":0}', '{"ROW":0}')))
    await change(() => writeFileSync(file, `${text.slice(0, -3)}x}\n`))
  })
})

it('a pipe in the place of a file is never waited for', async () => {
  const file = tempFile('')
  rmSync(file)
  execFileSync('mkfifo', [file])
  expect(await contentMark(file)).toMatch(/^0\./)
})
