import { createChatReporter, openChat } from '@panoptes/engine/chat'
import { createForgetting } from '@panoptes/engine/sessions'
import { bareContext, type Script, saying, scriptedRuntime } from '@panoptes/engine/testing/chat'
import type { NewEvent } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestHub, type TestHub } from '../hub.test-kit.ts'
import { unwrap } from '../server.test-kit.ts'
import { pausing } from './chat-server.test-kit.ts'

/** A word that only the private conversation contains. */
const MARK = 'quokka'
let kit: TestHub
let script: Script = saying(`The ${MARK} says yes.`)
const secrets: Record<'ada' | 'bob' | 'boss' | 'eye' | 'far' | 'machine' | 'home', string> = {
  ada: '',
  bob: '',
  boss: '',
  eye: '',
  far: '',
  machine: '',
  home: '',
}
type Who = keyof typeof secrets

beforeAll(async () => {
  kit = await startTestHub({
    site: (_space, store) => ({
      chat: openChat({
        conversations: store.conversations,
        adapters: [scriptedRuntime('jarvis', (request, context) => script(request, context)).adapter],
        defaultRuntime: null,
        build: bareContext,
        folder: '/',
        budgetTokens: 8_000,
        approvalSeconds: 30,
        onRun: createChatReporter({
          host: 'hub',
          append: (events: readonly NewEvent[]) => store.append([...events]),
        }),
      }),
      forget: createForgetting(store, []),
    }),
  })
  const person = async (name: Who, role: 'viewer' | 'member' | 'admin', space = 'main') => {
    const { id } = unwrap(await kit.team.createUser({ email: `${name}@a.test` }))
    unwrap(await kit.team.setRole(id, space, role))
    secrets[name] = await kit.token({ space, userId: id, role: 'admin' })
  }
  await person('boss', 'admin')
  await person('ada', 'member')
  await person('bob', 'member')
  await person('eye', 'viewer')
  await person('far', 'admin', 'other')
  secrets.machine = await kit.token({ space: 'main', role: 'admin' })
  secrets.home = await kit.ownToken('full')
})
afterAll(() => kit.stop())

const ask = (who: Who, method: string, path: string, body?: unknown) =>
  kit.request(path, secrets[who], { method, ...(body !== undefined && { body: JSON.stringify(body) }) })
const json = async <T = Record<string, never>>(answer: Response) => (await answer.json()) as T

const begin = async (who: Who, title: string) => {
  const made = await json<{ id: string }>(await ask(who, 'POST', '/api/conversations', { title }))
  const path = `/api/conversations/${made.id}`
  const said = await ask(who, 'POST', `${path}/chat`, { message: `Is the ${MARK} there?` })
  await said.text()
  const whole = await json<{ messages: { id: string }[] }>(await ask(who, 'GET', path))
  return { id: made.id, path, message: whole.messages[0]?.id ?? '' }
}

/** Every request about a single conversation. */
const everything = (path: string, message: string) =>
  [
    ['GET', path, undefined, 'read'],
    ['GET', `${path}/export`, undefined, 'read'],
    ['GET', `${path}/export?format=json`, undefined, 'read'],
    ['GET', `${path}/stream`, undefined, 'read'],
    ['GET', `${path}/messages/${message}/context`, undefined, 'own'],
    ['POST', `${path}/fork`, { message_id: message }, 'fork'],
    ['PUT', path, { title: 'mine now' }, 'change'],
    ['PUT', path, { shared: true }, 'change'],
    ['POST', `${path}/chat`, { message: 'hello' }, 'change'],
    ['POST', `${path}/cancel`, undefined, 'change'],
    ['POST', `${path}/approvals/none`, { choice: 'once' }, 'change'],
    ['DELETE', path, undefined, 'change'],
  ] as const

const OTHERS = ['bob', 'boss', 'eye', 'far', 'machine', 'home'] as const

describe('a private conversation', () => {
  it('exists only for its owner, whatever others request', async () => {
    const { id, path, message } = await begin('ada', `About the ${MARK}`)
    for (const who of OTHERS)
      for (const [method, url, body, kind] of everything(path, message)) {
        const answer = await ask(who, method, url, body)
        // A viewer is refused before the conversation is looked up, whether it exists or not.
        const status = who === 'eye' && kind !== 'read' && kind !== 'own' ? 403 : 404
        expect([who, method, url, answer.status]).toEqual([who, method, url, status])
        const text = await answer.text()
        expect(text).not.toContain(MARK)
        const missing = await ask(who, method, url.replace(id, 'chat-none'), body)
        const plain = (said: string) => said.replaceAll(id, 'chat-none').replace(/"request_id":"[^"]*"/, '')
        expect(plain(await missing.text())).toBe(plain(text))
      }
    const kept = await json<{ title: string; messages: unknown[]; owner_name: string }>(
      await ask('ada', 'GET', path),
    )
    expect(kept).toMatchObject({ title: `About the ${MARK}`, owner_name: 'ada@a.test' })
    expect(kept.messages).toHaveLength(2)
  })

  it('is in no list or search of anybody else', async () => {
    await begin('ada', `About the ${MARK}`)
    for (const who of OTHERS)
      for (const query of ['', '?text=quokka', '?limit=500', `?before=${Date.now() + 1e6}&before_id=a`]) {
        const answer = await ask(who, 'GET', `/api/conversations${query}`)
        expect(answer.status).toBe(200)
        expect(await answer.text()).not.toContain(MARK)
      }
    const own = await json<{ total: number }>(await ask('ada', 'GET', '/api/conversations?text=quokka'))
    expect(own.total).toBeGreaterThan(0)
  })

  it('appears as activity in the log, the agents and the stream, without its content', async () => {
    const stream = await kit.stream(secrets.bob)
    const { script: paused, go } = pausing(`The ${MARK}`, ` sleeps.`)
    script = paused
    const made = await json<{ id: string }>(
      await ask('ada', 'POST', '/api/conversations', { title: `The ${MARK} again` }),
    )
    const answer = ask('ada', 'POST', `/api/conversations/${made.id}/chat`, { message: `${MARK}?` })
    await stream.until((frames) => JSON.stringify(frames).includes(made.id))
    const live = await ask('bob', 'GET', '/api/agents')
    expect(await live.text()).toContain(made.id)
    go()
    await (await answer).text()
    script = saying(`The ${MARK} says yes.`)
    await stream.until((frames) => JSON.stringify(frames).includes('agent_done'))
    expect(JSON.stringify(stream.frames)).not.toContain(MARK)
    stream.ws.terminate()
  })

  it('leaks its word in no answer of any endpoint that others may use', async () => {
    const { id } = await begin('ada', `About the ${MARK}`)
    const document = await json<{ paths: Record<string, Record<string, unknown>> }>(
      await ask('boss', 'GET', '/api/openapi.json'),
    )
    const paths = Object.entries(document.paths).filter(([, methods]) => 'get' in methods)
    expect(paths.length).toBeGreaterThan(20)
    let asked = 0
    for (const who of OTHERS)
      for (const [described] of paths) {
        const path = described
          .replace('{source}', 'panoptes')
          .replace(/\{(id|session|session_id)\}/, id)
          .replace(/\{\w+\}/g, 'main')
        for (const query of ['', `?text=${MARK}&q=${MARK}&session=${id}&limit=50`]) {
          const stop = new AbortController()
          const late = setTimeout(() => stop.abort(), 1_000)
          const text = await kit
            .request(`${path}${query}`, secrets[who], { signal: stop.signal })
            .then((answer) => answer.text())
            .catch(() => '')
          clearTimeout(late)
          asked += 1
          expect([who, path, text.replaceAll(encodeURIComponent(query), '').includes(MARK)]).toEqual([
            who,
            path,
            false,
          ])
        }
      }
    expect(asked).toBeGreaterThan(200)
  })
})

describe('a shared conversation', () => {
  it('can be read by everybody in the space, changed only by its owner, and made private again', async () => {
    const { path, message } = await begin('ada', 'For everybody')
    const shared = await ask('ada', 'PUT', path, { shared: true })
    expect(await json(shared)).toMatchObject({ shared: true })
    for (const who of ['bob', 'boss', 'eye', 'machine', 'home'] as const) {
      const listed = await (await ask(who, 'GET', '/api/conversations?text=quokka')).text()
      expect(listed).toContain('For everybody')
      for (const [method, url, body, kind] of everything(path, message)) {
        const { status } = await ask(who, method, url, body)
        const isAllowed = kind === 'read' || (kind === 'fork' && who !== 'eye')
        expect([who, method, url, status]).toEqual([who, method, url, isAllowed ? 200 : 403])
      }
    }
    for (const [method, url, body] of everything(path, message))
      expect((await ask('far', method, url, body)).status).toBe(404)
    expect((await ask('ada', 'PUT', path, { shared: false })).status).toBe(200)
    expect((await ask('bob', 'GET', path)).status).toBe(404)
    expect((await ask('ada', 'DELETE', path)).status).toBe(200)
  })

  it('belongs to its new owner once it is forked', async () => {
    const { path, message } = await begin('ada', 'To be forked')
    await ask('ada', 'PUT', path, { shared: true })
    const fork = await json<{ id: string; owner_name: string }>(
      await ask('bob', 'POST', `${path}/fork`, { message_id: message }),
    )
    expect(fork.owner_name).toBe('bob@a.test')
    const own = `/api/conversations/${fork.id}`
    expect((await ask('bob', 'PUT', own, { title: 'Mine' })).status).toBe(200)
    expect((await ask('ada', 'GET', own)).status).toBe(404)
  })
})

describe('memories', () => {
  it('belong to each person alone', async () => {
    const fact = await json<{ id: string }>(
      await ask('ada', 'POST', '/api/memory/facts', { text: `Likes the ${MARK}.` }),
    )
    for (const who of OTHERS) {
      expect(await (await ask(who, 'GET', '/api/memory/facts')).text()).not.toContain(MARK)
      const gone = await ask(who, 'DELETE', `/api/memory/facts/${fact.id}`)
      expect(gone.status).toBe(who === 'eye' ? 403 : 404)
    }
    expect(await (await ask('ada', 'GET', '/api/memory/facts')).text()).toContain(MARK)
  })
})
