import { spawnSync } from 'node:child_process'
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
  it('writes JSON lines from the configured level on, readable only by this user', async () => {
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

  it('starts a new file at 10 MB and keeps one older file', async () => {
    const file = join(folder, 'panoptes.log')
    for (const round of ['first', 'second']) {
      await writeFile(file, round.padEnd(10_000_001))
      openLog(file, 'info').close()
    }
    expect((await readdir(folder)).sort()).toContain('panoptes.log.1')
    expect(await readFile(`${file}.1`, 'utf8')).toMatch(/^second/)
    expect((await readdir(folder)).length).toBeLessThanOrEqual(2)
  })

  it('does not end the process with an error if it cannot write', () => {
    const program = `import { openLog } from ${JSON.stringify(join(import.meta.dirname, 'log.ts'))}
      const { logger } = openLog(${JSON.stringify(join(folder, 'away', 'panoptes.log'))}, 'info')
      logger.warn('lost')`
    const ran = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
    expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: '' })
  })
})
