import { spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { check, foundSource } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { resolveEndpoints } from '../models/providers/open.ts'
import { countFiles } from './agents.ts'
import { discover, localServers } from './index.ts'

let home = ''
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'panoptes-discover-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const put = async (...parts: string[]) => {
  const file = join(home, ...parts)
  await mkdir(join(file, '..'), { recursive: true })
  await writeFile(file, 'x'.repeat(2_000))
}

const find = async (id: string, env: Record<string, string> = {}) =>
  (await discover({ env: { HOME: home, ...env }, servers: [] })).find((source) => source.id === id)

describe('discover', () => {
  it('lists everything it looked for on an empty computer as absent, with a next step', async () => {
    const all = await discover({ env: { HOME: home }, servers: [] })
    expect(all.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['hermes', 'claude-code', 'codex', 'opencode', 'anthropic']),
    )
    for (const source of all) {
      expect(check(foundSource, source).ok).toBe(true)
      expect(source).toMatchObject({ state: 'absent', next: expect.stringMatching(/\.$/) })
    }
  })

  it('finds each agent in its default folder or where its variable points', async () => {
    await put('.hermes', 'state.db')
    await put('.claude', 'projects', 'a', '1.jsonl')
    await put('.claude', 'projects', 'b', '2.jsonl')
    await put('.claude', 'projects', 'b', '2', 'subagents', 'agent-1.jsonl')
    await put('.claude', 'projects', 'b', 'agent-2.jsonl')
    await put('.codex', 'sessions', '2026', '09', 'x.jsonl')
    await put('.codex', 'sessions', '2026', '09', 'y.jsonl.zst')
    await put('data', 'opencode', 'storage', 'session', 'p', 's.json')
    await put('data', 'opencode', 'storage', 'message', 's', 'm.json')
    expect(await find('hermes')).toMatchObject({ state: 'found', detail: 'session database of 2 KB' })
    expect(await find('claude-code')).toMatchObject({ state: 'found', detail: '2 session files' })
    expect(await find('codex')).toMatchObject({ state: 'found', detail: '2 session files' })
    expect(await find('opencode')).toMatchObject({ state: 'absent' })
    const data = { XDG_DATA_HOME: join(home, 'data') }
    expect(await find('opencode', data)).toMatchObject({ state: 'found', detail: '1 session file' })
    await put('data', 'opencode', 'opencode.db')
    expect(await find('opencode', data)).toMatchObject({ detail: 'session database of 2 KB' })
    expect(await find('hermes', { HERMES_HOME: join(home, 'other') })).toMatchObject({ state: 'absent' })
  })

  it('finds archived Codex sessions when there are no others', async () => {
    await put('.codex', 'archived_sessions', 'x.jsonl')
    expect(await find('codex')).toMatchObject({ state: 'found', detail: '1 session file' })
  })

  it('distinguishes an agent without sessions from a missing agent', async () => {
    await put('.claude', 'settings.json')
    expect(await find('claude-code')).toMatchObject({ state: 'found', detail: 'Installed, no sessions yet' })
  })

  it('does not take a folder for an agent that is empty or holds only the hooks of Panoptes', async () => {
    const folder = join(home, '.hermes')
    const absent = { state: 'absent', path: null, detail: `No files of Hermes Agent in ${folder}` }
    await mkdir(folder)
    expect(await find('hermes')).toMatchObject(absent)
    const command = '/p/hooks/panoptes-hook.sh hermes /p'
    await writeFile(join(folder, 'config.yaml'), `hooks:\n  pre_tool_call:\n    - command: ${command}\n`)
    expect(await find('hermes')).toMatchObject(absent)
    await writeFile(join(folder, 'config.yaml'), 'model: {}\n')
    expect(await find('hermes')).toMatchObject({ state: 'found' })
    await mkdir(join(home, '.claude'))
    await writeFile(
      join(home, '.claude', 'settings.json'),
      '{"url":"http://127.0.0.1:8201/hooks/claude-code"}',
    )
    expect(await find('claude-code')).toMatchObject({ state: 'absent' })
    await mkdir(join(home, '.claude', 'projects'))
    expect(await find('claude-code')).toMatchObject({ state: 'found' })
  })

  it('names the folder that this user may not read', async () => {
    await put('.claude', 'projects', 'a', '1.jsonl')
    await chmod(join(home, '.claude', 'projects'), 0)
    const found = process.getuid?.() === 0 ? await asNobody(home) : await find('claude-code')
    expect(found).toMatchObject({ state: 'unreadable', path: join(home, '.claude', 'projects') })
    await chmod(join(home, '.claude', 'projects'), 0o700)
  })

  it('names a key variable and never shows its value', async () => {
    const all = await discover({ env: { HOME: home, OPENAI_API_KEY: 'sk-very-secret' }, servers: [] })
    expect(all.find(({ id }) => id === 'openai')).toMatchObject({
      state: 'found',
      detail: 'Key in OPENAI_API_KEY',
    })
    expect(JSON.stringify(all)).not.toContain('very-secret')
  })

  it('stops counting at a limit', async () => {
    for (let index = 0; index < 7; index += 1) await put('many', `${index}.jsonl`)
    expect(await countFiles(join(home, 'many'), ['.jsonl'], { limit: 5 })).toEqual({ files: 5, more: true })
  })
})

describe('discovered providers', () => {
  it('are the ones that may be used: those with a key or on this computer', async () => {
    const env = { HOME: home, NOUS_API_KEY: 'k', GOOGLE_API_KEY: 'k' }
    const found = await discover({ env, servers: [] })
    const keyed = found.filter(({ kind, state }) => kind === 'provider' && state === 'found')
    const endpoints = resolveEndpoints({}, env)
    expect(keyed.map(({ id }) => id)).toEqual(
      endpoints.filter(({ from }) => from === 'environment').map(({ name }) => name),
    )
    expect(localServers(env).map(({ id }) => id)).toEqual(
      endpoints.filter(({ from }) => from === 'local').map(({ name }) => name),
    )
  })
})

describe('providers named in config.yaml', () => {
  it('are listed without a key in the environment or a local server', async () => {
    const env = { HOME: home, NOUS_API_KEY: 'k' }
    const providers = { mine: {}, openai: {}, nous: {} }
    const found = await discover({ env, servers: [], providers })
    const there = found.filter(({ kind, state }) => kind === 'provider' && state === 'found')
    expect(there.map(({ id, detail }) => [id, detail])).toEqual([
      ['nous', 'Key in NOUS_API_KEY'],
      ['mine', 'Named in config.yaml'],
      ['openai', 'Named in config.yaml'],
    ])
    expect(new Set(found.map(({ id }) => id)).size).toBe(found.length)
  })
})

describe('local model servers', () => {
  const servers: Server[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.close()
      server.closeAllConnections()
    }
  })
  const serve = async (reply: (respond: (text: string) => void) => void) => {
    const server = createServer((_request, response) => reply((text) => response.end(text)))
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  }
  const ollamaAt = async (address: string) => {
    const list = localServers({}).filter(({ id }) => id === 'ollama')
    const all = await discover({ env: { HOME: home }, servers: list.map((one) => ({ ...one, address })) })
    return all.find(({ id }) => id === 'ollama')
  }

  it('are recognised by their answer', async () => {
    const address = await serve((respond) => respond('{"models":[{"name":"a"},{"name":"b"}]}'))
    await expect
      .poll(() => ollamaAt(address))
      .toMatchObject({ state: 'found', detail: `2 models at ${address}` })
  })

  it('are absent when something else answers or nothing answers in time', async () => {
    expect(await ollamaAt(await serve((respond) => respond('<html>')))).toMatchObject({ state: 'absent' })
    const began = performance.now()
    expect(await ollamaAt(await serve(() => undefined))).toMatchObject({ state: 'absent' })
    expect(performance.now() - began).toBeLessThan(5_000)
  })

  it('are only queried on this computer, whatever OLLAMA_HOST says', () => {
    const address = (host: string) => localServers({ OLLAMA_HOST: host })[0]?.address
    expect(address('10.0.0.9:11434')).toBe('http://127.0.0.1:11434')
    expect(address('http://models.example.com')).toBe('http://127.0.0.1:11434')
    expect(address('127.0.0.1:5000')).toBe('http://127.0.0.1:5000')
    expect(address('0.0.0.0')).toBe('http://127.0.0.1:11434')
  })
})

/** Root can read everything, so this runs discover as an unprivileged user. */
async function asNobody(folder: string): Promise<unknown> {
  await chmod(folder, 0o755)
  await chmod(join(folder, '.claude'), 0o755)
  const script = `const { agentPlaces, findAgents } = await import(${JSON.stringify(new URL('./agents.ts', import.meta.url).href)})
    process.setuid(65534)
    const all = await findAgents(agentPlaces({ HOME: ${JSON.stringify(folder)} }))
    console.log(JSON.stringify(all.find(({ id }) => id === 'claude-code')))`
  const ran = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  return JSON.parse(ran.stdout)
}
