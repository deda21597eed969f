import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { acquireLock } from './lock.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'panoptes-lock-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('acquireLock', () => {
  it.each([
    ['pipe', (path: string) => void spawnSync('mkfifo', [path])],
    ['folder', (path: string) => mkdir(path)],
  ])('names the lock and what to do when a %s is in its place', async (_, put) => {
    const file = join(folder, 'ledger.db')
    await put(`${file}.lock`)
    expect(() => acquireLock(file)).toThrow(
      `${file}.lock is not a regular file. Delete it; Panoptes creates a new one.`,
    )
  })
})
