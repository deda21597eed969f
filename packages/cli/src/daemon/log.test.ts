import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLog } from './log.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'panoptes-log-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('the log', () => {
  it('is lines of JSON for this user alone, from the level that is set', async () => {
    const file = join(folder, 'panoptes.log')
    const { logger, close } = openLog(file, 'warn')
    logger.info('quiet')
    logger.warn({ port: 1 }, 'loud')
    close()
    await expect.poll(() => readFile(file, 'utf8').catch(() => '')).toContain('loud')
    const lines = (await readFile(file, 'utf8')).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 40, port: 1, msg: 'loud' }])
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it('starts anew over 10 MB, and keeps one older file', async () => {
    const file = join(folder, 'panoptes.log')
    for (const round of ['first', 'second']) {
      await writeFile(file, round.padEnd(10_000_001))
      openLog(file, 'info').close()
    }
    expect((await readdir(folder)).sort()).toContain('panoptes.log.1')
    expect(await readFile(`${file}.1`, 'utf8')).toMatch(/^second/)
    expect((await readdir(folder)).length).toBeLessThanOrEqual(2)
  })
})
