import { copyFileSync, existsSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { message, session, tempFile, told, value } from './index.test-kit.ts'
import type { SessionIndex } from './port.ts'
import { openSqliteIndex } from './sqlite.ts'

let place: ReturnType<typeof tempFile>
let index: SessionIndex

beforeEach(() => {
  place = tempFile()
  index = value(openSqliteIndex(place.file))
})

afterEach(async () => {
  await index.close()
  place.remove()
})

const one = (id: string) => told(session(id), [message(`words of ${id}`)])
const known = async (of: SessionIndex) => [...value(await of.known('claude-code')).keys()].sort()
const NEVER_BEGUN = [{ type: 'end' as const, session: session('never begun') }]

describe('a batch', () => {
  it('is there for others when it ends, not before', async () => {
    const reader = value(openSqliteIndex(place.file, { readOnly: true }))
    const batch = index.batch()
    value(await batch.add(one('s1')))
    value(await batch.add(one('s2')))
    expect(await known(reader)).toEqual([])
    value(await batch.end())
    expect(await known(reader)).toEqual(['s1', 's2'])
    await reader.close()
  })

  it('is kept when the index is closed', async () => {
    value(await index.batch().add(one('s1')))
    await index.close()
    index = value(openSqliteIndex(place.file))
    expect(await known(index)).toEqual(['s1'])
  })

  it('says so when another one took what it added with it', async () => {
    const [mine, other] = [index.batch(), index.batch()]
    value(await mine.add(one('s1')))
    expect((await other.add(NEVER_BEGUN)).ok).toBe(false)
    expect((await mine.add(one('s2'))).ok).toBe(false)
    expect((await mine.end()).ok).toBe(false)
    expect(await known(index)).toEqual([])
    value(await index.write(one('s3')))
    expect(await known(index)).toEqual(['s3'])
  })

  it('loses what it had not kept when the process dies, and nothing else', async () => {
    value(await index.write(one('s1')))
    const batch = index.batch()
    value(await batch.add(one('s2')))
    const left = tempFile()
    // What a killed process leaves behind is its files as they are.
    for (const end of ['', '-wal'])
      if (existsSync(`${place.file}${end}`)) copyFileSync(`${place.file}${end}`, `${left.file}${end}`)
    const again = value(openSqliteIndex(left.file))
    expect(await known(again)).toEqual(['s1'])
    value(await again.write(one('s2')))
    expect(value(await again.search({ text: 'words ', limit: 5 }))).toHaveLength(2)
    await again.close()
    left.remove()
  })
})
