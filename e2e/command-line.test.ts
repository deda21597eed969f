import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand } from './command.ts'
import { useHome } from './command-kit.ts'

const { home, json, run, start } = useHome()

describe('the command line', () => {
  it('suggests the nearest command or option for a typo, without a stack trace', async () => {
    const wrong = await run('sttus')
    expect(wrong.code).toBe(2)
    expect(wrong.stdout).toBe('')
    expect(wrong.stderr).toContain("unknown command 'sttus'\n(Did you mean status?)")
    expect(wrong.stderr).not.toContain('    at ')
    expect(await json('up', '--prot', '3')).toMatchObject({ code: 'usage', ok: false })
    expect((await run('config', 'chekc')).stderr).toContain('(Did you mean config check?)')
  })

  it('shows help with examples and exit codes', async () => {
    const help = await run('--help')
    expect(help).toMatchObject({ code: 0, stderr: '' })
    for (const part of ['up', 'doctor', 'Examples:', 'Exit codes:', 'PANOPTES_HOME']) {
      expect(help.stdout).toContain(part)
    }
    expect((await run()).stdout).toBe(help.stdout)
  })

  it('answers in JSON wherever --json is given, help and version included', async () => {
    expect(await json()).toMatchObject({ code: 0, ok: true, help: expect.stringContaining('Exit codes:') })
    expect(await json('--help')).toMatchObject({ code: 0, ok: true, help: expect.stringContaining('doctor') })
    expect(await json('help', 'up')).toMatchObject({ ok: true, help: expect.stringContaining('--detach') })
    expect(await json('--version')).toMatchObject({ code: 0, ok: true, version: expect.any(String) })
  })

  it('refuses surplus arguments and invalid dates', async () => {
    expect(await json('config', 'path', 'extra')).toMatchObject({ code: 'usage', ok: false })
    expect(await json('status', 'extra')).toMatchObject({ code: 'usage', ok: false })
    expect((await run('export', '--since', '2026-02-30')).stderr).toContain('It must be a date')
  })
})

describe('config', () => {
  it('changes a value, keeps comments, and names line and column of a mistake', async () => {
    expect(await json('config', 'set', 'server.port', '8300')).toMatchObject({ ok: true, value: 8300 })
    const file = join(home().panoptes, 'config.yaml')
    expect(await readFile(file, 'utf8')).toMatch(/# The port\. 0 picks a free one\.\n {2}port: 8300\n/)
    expect((await run('config', 'get', 'server.port')).stdout).toBe('8300\n')
    await writeFile(file, 'server:\n  prot: 1\n')
    const mistaken = await run('config', 'check')
    expect(mistaken).toMatchObject({ code: 5, stdout: '' })
    expect(mistaken.stderr).toContain('config.yaml:2:3: server.prot is not a setting; did you mean "port"?')
    expect(await run('up', '--no-open')).toMatchObject({ code: 5 })
  })

  it('cannot by itself open Panoptes to the network', async () => {
    await json('config', 'set', 'server.host', '0.0.0.0')
    expect(await json('up', '--no-open')).toMatchObject({ code: 'host_refused', ok: false })
  })
})

describe('doctor', () => {
  it('finds no failures in a running Panoptes, and shows no secret', async () => {
    const daemon = await start()
    const healthy = await runCommand(home(), ['doctor', '--json'], {
      env: { OPENAI_API_KEY: 'sk-secret-value' },
    })
    const report = JSON.parse(healthy.stdout) as {
      ok: boolean
      checks: { id: string; state: string; detail: string }[]
    }
    expect(report.checks.filter(({ state }) => state === 'failed')).toEqual([])
    expect(healthy.code).toBe(0)
    expect(report.checks.find(({ id }) => id === 'ledger')?.detail).toContain('0 events')
    expect(report.checks.find(({ id }) => id === 'daemon')?.detail).toContain(daemon.address)
    for (const secret of ['sk-secret-value', await daemon.token('full'), await daemon.token('ingest')]) {
      expect(healthy.stdout).not.toContain(secret)
    }
    const served = (await (await daemon.request('/api/health')).json()) as { checks: { id: string }[] }
    expect(served.checks.map(({ id }) => id)).toEqual(report.checks.map(({ id }) => id))
  })

  it('exits with 1 when something failed', async () => {
    await json('config', 'set', 'log.level', 'debug')
    await writeFile(join(home().panoptes, 'ledger.db'), 'this is no store '.repeat(500))
    const sick = await run('doctor')
    expect(sick.code).toBe(1)
    expect(sick.stdout).toMatch(/✕ Store/)
  })
})
