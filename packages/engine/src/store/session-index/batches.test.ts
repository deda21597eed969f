import { copyFileSync, existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { message, session, sessionChanges, value } from './conformance/lab.ts'
import { tempFile } from './sqlite.test-kit.ts'
import { openSqliteIndex } from './sqlite.ts'

const one = (id: string) => sessionChanges(session(id), [message(`words of ${id}`)])

it('loses only the uncommitted part of a session index batch when the process dies', async () => {
  const place = tempFile()
  const index = value(openSqliteIndex(place.file))
  const knownIds = async (of: typeof index) => [...value(await of.fingerprints('claude-code')).keys()].sort()
  value(await index.write(one('s1')))
  const batch = index.batch()
  value(await batch.add(one('s2')))
  const left = tempFile()
  // A killed process leaves its files as they are.
  for (const end of ['', '-wal'])
    if (existsSync(`${place.file}${end}`)) copyFileSync(`${place.file}${end}`, `${left.file}${end}`)
  const again = value(openSqliteIndex(left.file))
  expect(await knownIds(again)).toEqual(['s1'])
  value(await again.write(one('s2')))
  expect(value(await again.search({ text: 'words ', limit: 5 }))).toHaveLength(2)
  await again.close()
  left.remove()
  value(await batch.end())
  await index.close()
  place.remove()
})
