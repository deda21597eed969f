import { spawnSync } from 'node:child_process'
import { appendFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createHome, type Paths, resolvePaths } from '@panoptes/engine/home'
import { type Agent, config, type HealthCheck, type StatusReply, type StoredEvent } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Panoptes, startPanoptes } from './start.ts'

const ROOT = resolve(import.meta.dirname, '../../../..')
const SCRIPT = join(ROOT, 'hooks', 'panoptes-hook.sh')
const RECORDINGS = join(ROOT, 'fixtures', 'claude-code', 'hooks')

let folder = ''
let paths: Paths
const running: Panoptes[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'panoptes-inputs-'))
  paths = resolvePaths({ PANOPTES_HOME: join(folder, 'home') })
  await createHome(paths)
})
afterEach(async () => {
  for (const panoptes of running.splice(0)) await panoptes.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 3 })
})

async function start(onlyPosted = false, transcripts = true): Promise<Panoptes> {
  const panoptes = await startPanoptes({
    paths,
    env: { HOME: folder },
    config: config.parse({ log: { level: 'silent' }, capture: { transcripts } }),
    host: '127.0.0.1',
    port: 0,
    allowRemote: false,
    page: Promise.resolve({ folder: null, problem: null }),
    onlyPosted,
    onStop: () => undefined,
  })
  running.push(panoptes)
  return panoptes
}

async function stop(panoptes: Panoptes): Promise<void> {
  running.splice(running.indexOf(panoptes), 1)
  await panoptes.close()
}

const ask = async (panoptes: Panoptes, path: string, init: RequestInit = {}): Promise<Response> => {
  const token = (await readFile(join(paths.tokens, 'full'), 'utf8')).trim()
  return fetch(`${panoptes.server.address}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token}` },
  })
}

const stored = async ({ store }: Panoptes): Promise<readonly StoredEvent[]> => {
  const page = await store.read({ after: 0, limit: 100 })
  return page.ok ? page.value.rows.map(({ json }) => JSON.parse(json) as StoredEvent) : []
}

async function leave(name: string, payload: object): Promise<void> {
  await mkdir(paths.spool, { recursive: true })
  await writeFile(join(paths.spool, `.${name}.part`), JSON.stringify(payload))
  await rename(join(paths.spool, `.${name}.part`), join(paths.spool, `${name}.json`))
}

const sessionOf = (payload: string): string => (JSON.parse(payload) as { session_id: string }).session_id

const timeless = (agent: Omit<Agent, 'session_id'>) => {
  const { started_at: _a, last_at: _b, ended_at: _c, skill, claims, ...rest } = agent
  return {
    ...rest,
    skill: skill && { ...skill, ts: 0 },
    claims: claims && { ...claims, last: { ...claims.last, ts: 0 } },
  }
}

const prompt = (text: string) => ({ hook_event_name: 'UserPromptSubmit', session_id: 's1', prompt: text })

describe('a running Panoptes', () => {
  it('stores events from the spool, events.jsonl and agent-events.jsonl, and counts them all', async () => {
    const first = join(folder, '.claude', 'memory')
    await mkdir(first, { recursive: true })
    const panoptes = await start()
    await leave('claude-code.1.0', prompt('by hook'))
    await leave('hermes.2.0', { hook_event_name: 'on_session_start', session_id: 'h1' })
    await appendFile(
      paths.events,
      '{"event":"session_start","session_id":"s2","source":"custom"}\nnot an event\n',
    )
    await appendFile(
      join(first, 'agent-events.jsonl'),
      '{"ts":"2026-05-01T10:00:00.000Z","event":"agent_spawn","id":"toolu_1","parent_id":"s3","subagent_type":null}\n',
    )
    await expect
      .poll(async () => (await stored(panoptes)).map(({ event, source }) => `${event} ${source}`).sort())
      .toEqual([
        'agent_spawn claude-code',
        'prompt claude-code',
        'session_start custom',
        'session_start hermes',
      ])
    await expect
      .poll(async () => (await ask(panoptes, '/metrics')).text())
      .toMatch(
        /panoptes_events_appended_total 4\n.*panoptes_events_rejected_total 1\n.*panoptes_spool_files 0\n/s,
      )
    const { flow } = (await (await ask(panoptes, '/api/status')).json()) as StatusReply
    expect(flow).toMatchObject({ rejected: 1, last_rejected: { line: 2, reason: 'is not JSON' } })
  })

  it('creates the same agents from every recording by the spool and by HTTP', async () => {
    const panoptes = await start()
    let count = 0
    /**
     * Only one recording goes through the hook script, because a shell for every payload would take too long.
     */
    const spool = async (name: string, payload: string) => {
      count += 1
      if (name !== 'failure') return leave(`claude-code.${count}.0`, JSON.parse(payload))
      expect(spawnSync('sh', [SCRIPT, 'claude-code', paths.home], { input: payload }).status).toBe(0)
    }
    const agents = async (session: string) => {
      const found = await panoptes.store.agents({ session, limit: 100 })
      const all = found.ok ? found.value.value.map(({ session_id: _s, ...agent }) => timeless(agent)) : []
      return all.sort((a, b) => (a.id < b.id ? -1 : 1))
    }
    for (const name of ['parallel', 'parallel-background', 'failure', 'skill', 'files']) {
      const payloads = (await readFile(join(RECORDINGS, `${name}.jsonl`), 'utf8')).trim().split('\n')
      for (const input of payloads) {
        await spool(name, input)
        const posted = input.replaceAll(sessionOf(input), `${name} by HTTP`)
        expect((await ask(panoptes, '/hooks/claude-code', { method: 'POST', body: posted })).status).toBe(200)
      }
      await expect.poll(() => readdir(paths.spool)).toEqual([])
      const bySpool = await agents(sessionOf(payloads[0] ?? ''))
      expect(bySpool.length, name).toBeGreaterThan(0)
      expect(bySpool, name).toEqual(await agents(`${name} by HTTP`))
    }
  })

  it('continues to read its inputs where it stopped after a restart', async () => {
    await appendFile(paths.events, '{"event":"prompt","session_id":"s1","prompt_preview":"one"}\n')
    await leave('claude-code.1.0', prompt('two'))
    const before = await start()
    await expect.poll(() => stored(before)).toHaveLength(2)
    await stop(before)
    await leave('claude-code.2.0', prompt('three'))
    await appendFile(paths.events, '{"event":"prompt","session_id":"s1","prompt_preview":"one"}\n')
    const after = await start()
    await expect.poll(() => stored(after)).toHaveLength(4)
    await expect.poll(() => readdir(paths.spool)).toEqual([])
  })

  it('reports why it cannot read its inputs', async () => {
    await mkdir(paths.events)
    await writeFile(paths.spool, 'a file in the way')
    const panoptes = await start()
    const wrong = async () => {
      const { checks } = (await (await ask(panoptes, '/api/health')).json()) as { checks: HealthCheck[] }
      return checks
        .filter(({ state, id }) => state === 'failed' && /^(?:spool|tail)/.test(id))
        .map(({ id }) => id)
    }
    expect(await wrong()).toEqual(['spool', `tail:${paths.events}`])
  })

  it('accepts only posted events when it is started with onlyPosted', async () => {
    await leave('claude-code.1.0', prompt('left alone'))
    const panoptes = await start(true)
    await stop(panoptes)
    expect(await readdir(paths.spool)).toHaveLength(1)
  })
})

describe('transcripts of agents', () => {
  const write = async (session: string) => {
    const project = join(folder, '.claude', 'projects', '-home-dev-notes')
    const row = { type: 'user', uuid: session, timestamp: new Date().toISOString(), promptId: 'p1' }
    await mkdir(project, { recursive: true })
    const line = JSON.stringify({ ...row, message: { role: 'user', content: 'find it' } })
    await appendFile(join(project, `${session}.jsonl`), `${line}\n`)
  }
  const followed = async (panoptes: Panoptes) => {
    const { checks } = (await (await ask(panoptes, '/api/health')).json()) as {
      checks: readonly HealthCheck[]
    }
    return checks.find(({ id }) => id === 'transcripts')?.detail
  }

  it('are followed without any hook, and shown in the health checks', async () => {
    await write('s1')
    const panoptes = await start()
    await expect
      .poll(() => stored(panoptes))
      .toMatchObject([
        { event: 'session_start', session_id: 's1', via: 'transcript' },
        { event: 'prompt', prompt_preview: 'find it' },
      ])
    expect(await followed(panoptes)).toMatch(/projects, 1 active session$/)
  })

  it('are ignored if the config switches them off', async () => {
    const panoptes = await start(false, false)
    await write('s1')
    await leave('claude-code.1.0', prompt('go'))
    await expect.poll(() => stored(panoptes)).toHaveLength(1)
    expect(await followed(panoptes)).toBe('Not followed: capture.transcripts is false')
    expect((await stored(panoptes)).map(({ via }) => via)).toEqual([undefined])
  })
})
