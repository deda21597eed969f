import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import type { Report } from './report.ts'

const RUN = fileURLToPath(new URL('./run.ts', import.meta.url))
const out = mkdtempSync(join(tmpdir(), 'panoptes-bench-out-'))
const run = (...args: string[]) =>
  spawnSync(process.execPath, [RUN, ...args], { encoding: 'utf8', timeout: 120_000 })

describe('the benchmarks', () => {
  afterAll(() => rmSync(out, { recursive: true, force: true }))

  it('measure the store against its floor and write a report', () => {
    const ran = run('store', '--quick', '--out', out)
    expect(ran.stderr).toBe('')
    expect(ran.status).toBe(0)
    const report = JSON.parse(readFileSync(join(out, 'store.quick.json'), 'utf8')) as Report & {
      machine: object
    }
    expect(report.machine).toMatchObject({ cores: expect.any(Number), node: process.version })
    const [appends, concurrent, growth, reads] = report.tables
    expect(concurrent?.rows.length).toBeGreaterThan(0)
    expect(appends?.rows).toHaveLength(6)
    for (const row of appends?.rows ?? []) expect(row['floor, events/s']).toBeGreaterThan(0)
    expect(growth?.rows.map((row) => row.events)).toEqual([500, 1_000, 2_000])
    expect(reads?.rows).toHaveLength(12)
    expect(report.promises.map(({ says }) => says)).toHaveLength(3)
    expect(ran.stdout).toContain('of the floor')
  }, 120_000)

  it('measure every query of the accounts in a short and a long history', () => {
    const ran = run('ledger', '--quick', '--out', out)
    expect(ran.stderr).toBe('')
    expect(ran.status).toBe(0)
    const report = JSON.parse(readFileSync(join(out, 'ledger.quick.json'), 'utf8')) as Report
    const [answers, putting] = report.tables
    expect(answers?.rows).toHaveLength(60)
    for (const row of answers?.rows ?? []) expect(row['scan, 6000 events']).toBeGreaterThan(0)
    expect(putting?.rows).toHaveLength(2)
    expect(report.promises.find(({ says }) => says.includes('adds up'))?.holds).toBe(true)
  }, 120_000)

  it('list the available benchmarks if the name is unknown', () => {
    const ran = run('nothing')
    expect(ran.status).toBe(2)
    expect(ran.stderr).toMatch(/no benchmark "nothing".*ledger/)
  })
})
