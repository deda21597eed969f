import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { toDatabaseFailure } from './failures.ts'
import { SharedDatabase } from './shared-database.ts'

function lockedDatabase(mostLocked?: number) {
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-shared-'))
  const path = join(folder, 'state.db')
  const writer = new DatabaseSync(path)
  onTestFinished(() => {
    writer.close()
    rmSync(folder, { recursive: true })
  })
  writer.exec('CREATE TABLE rows (n INTEGER); INSERT INTO rows VALUES (7); BEGIN EXCLUSIVE')
  const shared = new SharedDatabase(path, (db) => db.prepare('SELECT n FROM rows'), { mostLocked })
  const read = () => shared.slice((statement) => statement?.get()?.n)
  return { path, writer, read }
}

it('gives up on a database that stays locked and names it', async () => {
  const { path, read } = lockedDatabase(2)
  const error = await read().catch((caught: unknown) => caught)
  expect(toDatabaseFailure(error, path, 'Hermes')).toMatchObject({
    code: 'busy',
    message: `${path} is locked by another program. Try again.`,
  })
})

it('reads a database as soon as another program unlocks it', async () => {
  const { writer, read } = lockedDatabase()
  const reading = read()
  setTimeout(() => writer.exec('COMMIT'), 50)
  expect(await reading).toBe(7)
})
