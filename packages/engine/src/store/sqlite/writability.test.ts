import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { failure } from '@panoptes/schema/result'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openForWriting } from './open-file.ts'
import { Writability } from './writability.ts'

let folder = ''
let file = ''
let db: DatabaseSync
let other: DatabaseSync
const version = () => other.prepare('PRAGMA data_version').get()?.data_version

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'panoptes-writability-'))
  file = join(folder, 'ledger.db')
  db = openForWriting(file)
  other = new DatabaseSync(file, { readOnly: true })
})
afterEach(async () => {
  other.close()
  db.close()
  await rm(folder, { recursive: true, force: true })
})

describe('Writability', () => {
  it('writes nothing while every append succeeds', () => {
    const before = version()
    new Writability(file).check(db)
    expect(version()).toBe(before)
  })

  it('really writes after a failed append, each time until one succeeds', () => {
    const writability = new Writability(file)
    for (const code of ['io', 'read_only', 'corrupt'] as const) {
      const before = version()
      writability.recordFailure(failure(code, 'the last append failed'))
      writability.check(db)
      expect(version(), code).not.toBe(before)
    }
  })

  it('throws the error of the failed write, and tries again the next time', () => {
    const writability = new Writability(file)
    writability.recordFailure(failure('io', 'the last append failed'))
    db.exec('PRAGMA query_only = 1')
    expect(() => writability.check(db)).toThrow(/readonly/)
    expect(() => writability.check(db)).toThrow(/readonly/)
    db.exec('PRAGMA query_only = 0')
    expect(() => writability.check(db)).not.toThrow()
  })
})
