import type { Account, MoaTurn, NewEvent, Result } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { SECRET_KINDS } from '../../redact/secrets.test-kit.ts'
import type { ConversationWindow } from '../conversations-port.ts'
import type { EventStore } from '../port.ts'
import { account, cell, createAgentAccount, createClaim } from './accounts-kit.ts'
import { ALL, answer, beginning, ending, head, message } from './conversing-kit.ts'
import { event } from './event-kit.ts'
import { type StoreLab, useLab, value } from './lab.ts'
import { turn } from './rows-kit.ts'

/** Returns one secret of each kind behind an escaped newline, which older rules missed. */
const secrets = (): readonly string[] => Object.values(SECRET_KINDS).map((make) => make())
const around = (secret: string): string => `out:\\n${secret}\\nend`

const withSecrets = (all: readonly string[]): NewEvent[] =>
  all.flatMap((secret, n) => [
    event(4 * n, {
      session_id: `s${n % 3}`,
      event: 'tool_use',
      tool: 'Bash',
      preview: around(secret),
      id: `t${n}`,
    }),
    event(4 * n + 1, {
      session_id: `s${n % 3}`,
      event: 'tool_use',
      tool: 'Bash',
      preview: `plain ${n}`,
      id: `u${n}`,
    }),
    event(4 * n + 2, {
      event: 'agent_spawn',
      id: `a${n}`,
      agent_id: `a${n}`,
      prompt_preview: around(secret),
    }),
    event(4 * n + 3, { event: 'odd', deep: [{ text: around(secret), count: n }], at_home: true }),
  ])

async function stored(store: EventStore): Promise<Record<string, unknown>[]> {
  const page = value(await store.read({ after: 0, limit: 10_000 }))
  return page.rows.map(({ json }) => JSON.parse(json))
}

/** Returns an event without the fields that redaction may change. */
const bones = ({ preview, prompt_preview, deep, redacted, ...rest }: Record<string, unknown>) => rest

const preambles = (window: Result<ConversationWindow | null>) => [...(value(window)?.preambles ?? [])]

export function describeRedacting(lab: StoreLab): void {
  describe('redacting stored secrets', () => {
    const bench = useLab(lab)

    it('keeps every event with its seq and key, and removes every secret', async () => {
      const all = secrets()
      const { store } = await bench.open()
      value(await store.append(withSecrets(all)))
      const before = await stored(store)
      expect(value(await store.redactStored())).toBe(3 * all.length)
      const after = await stored(store)
      expect(after.map(bones)).toEqual(before.map(bones))
      expect(after.filter(({ redacted }) => redacted !== undefined)).toHaveLength(3 * all.length)
      expect(after[1]).toEqual(before[1])
      const agents = value(await store.agents({ limit: 1_000 }))
      expect(agents.value.length).toBeGreaterThan(0)
      const text = JSON.stringify([after, agents])
      expect(all.filter((secret) => text.includes(secret))).toEqual([])
      expect(value(await store.rebuild({ check: true })).differences).toBe(0)
    })

    it('stores no duplicate when an event is sent again', async () => {
      const events = withSecrets(secrets())
      const { store } = await bench.open()
      value(await store.append(events))
      value(await store.redactStored())
      expect(value(await store.append(events))).toMatchObject({ accepted: 0, duplicates: events.length })
    })

    it('changes nothing a second time, even after the store was reopened', async () => {
      const opened = await bench.open()
      value(await opened.store.append(withSecrets(secrets())))
      value(await opened.store.redactStored())
      const before = await stored(opened.store)
      expect(value(await opened.store.redactStored())).toBe(0)
      const { store } = await bench.reopen(opened)
      expect(value(await store.redactStored())).toBe(0)
      expect(await stored(store)).toEqual(before)
    })

    it('resumes where it was stopped', async () => {
      const all = secrets()
      const opened = await bench.open()
      const many = Array.from({ length: 20 }, (_, n) =>
        withSecrets(all).map((one) => ({ ...one, key: `${n}/${one.key}` })),
      )
      value(await opened.store.append(many.flat()))
      const stop = new AbortController()
      const stopped = await opened.store.redactStored({
        signal: stop.signal,
        onProgress: () => stop.abort(),
      })
      expect(stopped).toMatchObject({ ok: false, code: 'stopped' })
      const half = await stored(opened.store)
      const { store } = await bench.reopen(opened)
      const total = value(await store.redactStored())
      const done = half.filter(({ redacted }) => redacted !== undefined).length
      expect(done).toBeGreaterThan(0)
      expect(done).toBeLessThan(60 * all.length)
      expect(total).toBe(60 * all.length)
      const text = JSON.stringify([await stored(store), value(await store.agents({ limit: 1_000 }))])
      expect(all.filter((secret) => text.includes(secret))).toEqual([])
      expect(value(await store.rebuild({ check: true })).differences).toBe(0)
    })

    it('cleans what retention left of dropped events', async () => {
      const all = secrets()
      const { store } = await bench.open()
      value(await store.append(withSecrets(all)))
      value(await store.retain({ before: Date.now() + 86_400_000 }))
      expect(value(await store.redactStored())).toBeGreaterThan(0)
      const text = JSON.stringify(value(await store.agents({ limit: 1_000 })))
      expect(text).toContain('[redacted:')
      expect(all.filter((secret) => text.includes(secret))).toEqual([])
      expect(value(await store.rebuild({ check: true })).differences).toBe(0)
    })

    it('cleans a source, and the key that was derived from it', async () => {
      const secret = SECRET_KINDS.github?.() ?? ''
      const { store } = await bench.open()
      const own = event(1, { source: `my-${secret}`, key: `line:my-${secret}:1` })
      value(await store.append([own]))
      value(await store.redactStored())
      const [found] = await stored(store)
      expect(found?.key).toBe(`line:${found?.source}:1`)
      expect(
        JSON.stringify([found, value(await store.counters()), value(await store.sessions({ limit: 9 }))]),
      ).not.toContain(secret)
      expect(value(await store.verify())).toEqual([])
    })

    it('cleans annotations and keeps the rest of their text', async () => {
      const all = secrets()
      const { store } = await bench.open()
      const { conversations, annotations } = store
      for (const [n, secret] of all.entries()) {
        const [id, text] = [`c${n}`, `Ada says ${around(secret)}`]
        value(await conversations.create(head(id, { title: text })))
        const user = message(`t${n}-u`, { content: text })
        value(await conversations.begin(beginning(id, `t${n}`, { user })))
        const sent = {
          context: { sections: [], budget_tokens: 1, template: null, text } as never,
          text,
        }
        value(await conversations.setSent(user.id, sent))
        const epoch = { baseline: text, sections: [], summarised_to: null, summary: text }
        value(await conversations.setEpoch(id, epoch))
        const events = `${JSON.stringify({ event: 'chunk', data: { delta: text } })}\n`
        value(await conversations.end({ ...ending(id, `t${n}`, { content: text }), events }))
        const replacing = beginning(id, `r${n}`, { replaces: user.id, answer: answer(`r${n}`) })
        if (n % 2 === 0) value(await conversations.begin(replacing))
        value(await conversations.remember({ id: `f${n}`, text, ts: n }))
        value(
          await annotations.mark({ source: 'custom', id: `s${n}` }, { tags: ['mine', secret], note: text }),
        )
        value(await annotations.saveFilter(`my ${secret}`, { q: text }))
      }
      value(await store.redactStored())
      const cleaned = await Promise.all(all.map((_, n) => conversations.get(`c${n}`)))
      const windows = await Promise.all(all.map((_, n) => conversations.window(`c${n}`, ALL)))
      const runs = await Promise.all(all.map((_, n) => conversations.events(`t${n}-run`)))
      const sent = await Promise.all(all.map((_, n) => conversations.sent(`c${n}`, `t${n}-u`)))
      const facts = value(await conversations.facts())
      const marks = value(await annotations.list({}))
      const filters = value(await annotations.filters())
      const text = JSON.stringify([cleaned, windows.map(preambles), runs, sent, facts, marks, filters])
      expect(all.filter((secret) => text.includes(secret))).toEqual([])
      for (const { text: fact } of facts) expect(fact).toMatch(/^Ada says out:\\n\[redacted:.*\\nend$/)
      expect(facts).toHaveLength(all.length)
      expect(marks.map(({ tags }) => tags[0])).toEqual(all.map(() => 'mine'))
      for (const run of runs) expect(value(run)?.events).toMatch(/^\{.*\}\n$/)
      value(await annotations.mark({ source: 'custom', id: 's0' }, { tags: ['later'] }))
      value(await conversations.change('c0', { title: 'later' }))
    })

    it('cleans accounts, turns and achievements, and keeps their numbers', async () => {
      const all = secrets()
      const { store } = await bench.open()
      const accounts = all.map((secret, n): Account => {
        const of = account(`s${n}`, { title: around(secret) })
        return {
          ...of,
          agents: [createAgentAccount(of, { agent_id: 'main', subagent_type: around(secret) })],
          claims: [createClaim(of, 0, { value: around(secret) })],
          cells: [cell('2026-09-15', { model: 'm' })],
        }
      })
      const turns = all.map((secret, n): MoaTurn => turn(`t${n}`, { question: around(secret) }))
      value(await store.accounts.put(accounts))
      value(await store.turns.keep(turns))
      const [scope, source] = ['hermes', 'hermes']
      const doc = JSON.stringify({ title: around(all[0] ?? ''), values: { calls: 3 } })
      value(await store.achievementStore.contribute([{ scope, source, id: 's', fingerprint: 'f', doc }]))
      const totals = value(await store.accounts.totals({}))
      const costs = value(await store.accounts.costs({ by: 'day' }))
      value(await store.redactStored())
      expect(value(await store.accounts.totals({}))).toEqual(totals)
      expect(value(await store.accounts.costs({ by: 'day' }))).toEqual(costs)
      const [contribution] = value(await store.achievementStore.contributions(scope, '', 9))
      expect(JSON.parse(contribution?.doc ?? '')).toMatchObject({ values: { calls: 3 } })
      const text = JSON.stringify([
        value(await store.accounts.agents({ limit: 1_000 })),
        value(await store.accounts.claims({ limit: 1_000 })),
        await Promise.all(accounts.map(({ source, session_id: id }) => store.accounts.get({ source, id }))),
        value(await store.turns.list({ limit: 1_000 })),
        contribution,
      ])
      expect(text).toContain('[redacted:')
      expect(all.filter((secret) => text.includes(secret))).toEqual([])
    })
  })
}
