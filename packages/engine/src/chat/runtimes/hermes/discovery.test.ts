import { spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { chooseTransport } from './capabilities.ts'
import { createHermes } from './hermes.ts'
import { type ScriptedHermes, startScriptedHermes } from './scripted-hermes.test-kit.ts'
import { findKey } from './server.ts'

let home: string
let hermes: ScriptedHermes | undefined
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'panoptes-hermes-'))
  await mkdir(join(home, '.hermes'))
})
afterEach(async () => {
  await hermes?.close()
  hermes = undefined
  await rm(home, { recursive: true, force: true })
})
const found = (env: Record<string, string> = {}) =>
  createHermes({ config: null, env: { HOME: home, ...env } })

describe('Hermes without configuration', () => {
  it('finds an API server on this computer through the files of Hermes, and leaves them unchanged', async () => {
    hermes = await startScriptedHermes('runs')
    const file = join(home, '.hermes', '.env')
    const text = `# mine\nexport API_SERVER_KEY="${hermes.key}"\nAPI_SERVER_PORT=${new URL(hermes.url).port} # free\n`
    await writeFile(file, text)
    const runtime = found()
    expect(await runtime.health()).toMatchObject({
      state: 'ready',
      transport: 'api',
      models: ['hermes-agent', 'fast'],
    })
    expect(runtime.model()).toBe('hermes-agent')
    expect(await readFile(file, 'utf8')).toBe(text)
    await runtime.close()
  })

  it('offers a program of that name through ACP', async () => {
    const program = join(home, 'hermes')
    await writeFile(program, '#!/bin/sh\n')
    await chmod(program, 0o755)
    expect(await found({ PATH: home }).health()).toMatchObject({ state: 'untried', transport: 'acp' })
  })

  it('offers nothing if nothing is installed, and tells the user what to do', async () => {
    const health = await found({ PATH: home }).health()
    expect(health).toMatchObject({ state: 'not_installed', models: [], transport: null })
    expect(health.detail).toContain('pip install hermes-agent')
    expect(health.detail).toContain(
      'If it is installed, set API_SERVER_ENABLED=true and API_SERVER_KEY in ~/.hermes/.env and run `hermes gateway`.',
    )
  })
})

describe('API key of Hermes', () => {
  const env = () => ({ HOME: home, API_SERVER_KEY: 'of-this-computer', OTHER: ' other ' })

  it('is used for this computer only if it was found there', async () => {
    expect(await findKey('http://127.0.0.1:8642', {}, env())).toBe('of-this-computer')
    expect(await findKey('http://localhost:1', {}, env())).toBe('of-this-computer')
    expect(await findKey('http://[::1]:1', {}, env())).toBe('of-this-computer')
    expect(await findKey('https://hermes.example', {}, env())).toBeNull()
    expect(await findKey('http://127.0.0.1.example', {}, env())).toBeNull()
  })

  it('is missing when a pipe stands in the place of its file', async () => {
    expect(spawnSync('mkfifo', [join(home, '.hermes', '.env'), join(home, 'key')]).status).toBe(0)
    expect(await findKey('http://127.0.0.1:1', {}, { HOME: home })).toBeNull()
    expect(await findKey('http://127.0.0.1:1', { api_key_file: '~/key' }, env())).toBeNull()
  })

  it('comes from a variable or a file if one is named', async () => {
    await writeFile(join(home, 'key'), 'of-a-file\n')
    expect(await findKey('https://hermes.example', { api_key_env: 'OTHER' }, env())).toBe('other')
    expect(await findKey('https://hermes.example', { api_key_file: '~/key' }, env())).toBe('of-a-file')
    expect(await findKey('http://127.0.0.1:1', { api_key_env: 'NONE' }, env())).toBeNull()
  })
})

describe('way of asking Hermes', () => {
  const session = { session_chat_streaming: true, session_resources: true }
  const runs = { run_submission: true, run_status: true, run_events_sse: true, run_stop: true }
  it.each([
    ['the stream of a session, where there is one', { ...session, ...runs }, '', 'session'],
    ['the stream of a session, by whatever name', { session_chat_stream: true, ...runs }, '', 'session'],
    ['the stream of a session of a new Hermes', { ...session, ...runs }, '0.21.0', 'session'],
    ['a run, where a session cannot be stopped', { ...session, ...runs }, '0.19.0', 'runs'],
    [
      'the stream of a session, where a run cannot be stopped either',
      { ...session, ...runs, run_stop: false },
      '0.19.0',
      'session',
    ],
    ['a run that is asked for', { run_submission: true, run_status: true, run_stop: true }, '', 'runs'],
    ['chat completions, where there is nothing else', { chat_completions: true }, '', 'completions'],
    ['chat completions, where nothing is known', {}, '', 'completions'],
    ['chat completions, where the rest is not there', { sessions: false, runs: false }, '', 'completions'],
    ['a run, by whatever name', { runs: true, chat_completions: true }, '', 'runs'],
    ['the stream of a session, where nothing of it is said', { streaming: true }, '', 'session'],
  ] as const)('is %s', (_what, features, version, way) => {
    expect(chooseTransport(features, version)).toBe(way)
  })
})
