import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Result } from '@panoptes/schema'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { KnowledgeChange, KnowledgeIndex } from './port.ts'
import { openKnowledgeIndex } from './sqlite.ts'

let folder: string
let index: KnowledgeIndex
const file = () => join(folder, 'knowledge.db')

const value = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.message)
  return result.value
}
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-passages-'))
  index = value(openKnowledgeIndex(file()))
})
afterEach(() => {
  index.close()
  rmSync(folder, { recursive: true, force: true })
})

const note = (path: string, ...texts: readonly string[]): KnowledgeChange => ({
  type: 'file',
  folder: '/notes',
  path,
  mark: 'm',
  hash: `h-${texts.join()}`,
  passages: texts.map((text) => ({ headings: ['Ship'], text })),
})
const found = async (text: string, most = 10) =>
  value(await index.search(text, most)).passages.map((each) => each.text)

it('stores the latest version of a file and removes a dropped file completely', async () => {
  value(await index.write([note('a.md', 'old mast', 'old hull'), note('b.md', 'keel')]))
  value(await index.write([note('a.md', 'new mast')]))
  expect(await found('mast')).toEqual(['new mast'])
  expect(value(await index.fileMarks('/notes'))).toEqual(
    new Map([
      ['a.md', { mark: 'm', hash: 'h-new mast' }],
      ['b.md', { mark: 'm', hash: 'h-keel' }],
    ]),
  )
  value(await index.write([{ type: 'mark', folder: '/notes', path: 'b.md', mark: 'later' }]))
  expect(value(await index.fileMarks('/notes')).get('b.md')).toEqual({ mark: 'later', hash: 'h-keel' })
  value(await index.write([{ type: 'drop', folder: '/notes', path: 'a.md' }]))
  expect([await found('mast'), await found('keel')]).toEqual([[], ['keel']])
  value(await index.write([{ type: 'leave', folder: '/notes' }]))
  expect([await found('keel'), value(await index.folders())]).toEqual([[], []])
  index.close()
  const db = new DatabaseSync(file())
  expect(db.prepare('SELECT count(*) AS n FROM passages').get()?.n).toBe(0)
  expect(db.prepare("SELECT count(*) AS n FROM words WHERE words MATCH 'keel OR mast'").get()?.n).toBe(0)
  db.close()
  index = value(openKnowledgeIndex(file()))
})

it('writes all changes of the knowledge index or none', async () => {
  const bad = { ...note('b.md', 'keel'), path: null } as unknown as KnowledgeChange
  expect((await index.write([note('a.md', 'mast'), bad])).ok).toBe(false)
  expect(await found('mast')).toEqual([])
})

it('deletes a knowledge index of another version', async () => {
  value(await index.write([note('a.md', 'mast')]))
  index.close()
  const db = new DatabaseSync(file())
  db.exec('PRAGMA user_version = 999')
  db.close()
  index = value(openKnowledgeIndex(file()))
  expect(await found('mast')).toEqual([])
})

it('finds passages in a few milliseconds among twenty thousand', async () => {
  const words = Array.from({ length: 3_000 }, (_, n) => `w${n.toString(36)}q`)
  for (let f = 0; f < 200; f += 1) {
    const texts = Array.from({ length: 100 }, (_, n) => {
      const at = f * 100 + n
      const some = [at % 5, at % 83, at % 997, at % 2_999].map((each) => words[each])
      return `what is common to all of them: mast, hull, keel, ${some.join(' ')}`
    })
    value(await index.write([note(`${f}.md`, ...texts)]))
  }
  const times: number[] = []
  for (let n = 0; n < 21; n += 1) {
    const began = performance.now()
    expect(
      (await found(`the mast and hull of ${words[n]}, ${words[n * 31]}, ${words[2_990 - n]}`)).length,
    ).toBe(10)
    times.push(performance.now() - began)
  }
  // It takes a few milliseconds on an idle machine.
  expect(times.sort((a, b) => a - b)[10]).toBeLessThan(1_000)
})
