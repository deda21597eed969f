import type { NewEvent } from '@panoptes/schema'
import {
  account,
  cell,
  createAgentAccount,
  createClaim,
  createSkillUse,
} from '../conformance/accounts-kit.ts'
import { beginning, epoch, exchange, head } from '../conformance/conversing-kit.ts'
import { appendAll, day, event, readAll } from '../conformance/event-kit.ts'
import { value } from '../conformance/lab.ts'
import { anyDay } from '../conformance/random-day.ts'
import { injection, turn } from '../conformance/rows-kit.ts'
import type { EventStore } from '../port.ts'

/**
 * Text that databases struggle with: a NUL in the middle, lone surrogates, quotes, every kind of line ending,
 * other alphabets.
 */
const HOSTILE = `a\0b \ud800 c\udfff "d' \\N \\. {e,f} \r\n\t 漢字 ہ 🙂 ${'x'.repeat(900)}`
const SOURCE = 'claude-code'
const ACCOUNTED = ['one', 'gone', 'nul\0x', 'y'.repeat(600)]

const hostileEvents = (): NewEvent[] => [
  event(1, { key: 'h1', text: HOSTILE, session_id: 'odd', source: SOURCE, agent_id: 'main' }),
  event(2, { key: 'nul\0key', text: HOSTILE, session_id: 'nul\0session', source: SOURCE, agent_id: 'a\0b' }),
  event(3, {
    key: 'k\\N\t',
    event: 'not_known_yet',
    own: { deep: [HOSTILE, null, 1e300] },
    session_id: '\\.',
  }),
]

/**
 * Fills a store with a day of agents and some of everything else it holds, then drops the beginning and
 * forgets one session.
 */
export async function fillRichly(store: EventStore, seed: number, count: number): Promise<void> {
  await appendAll(
    store,
    [...day(seed, count), ...anyDay(seed, Math.floor(count / 2)), ...hostileEvents()],
    700,
  )
  value(
    await store.append([], {
      'transcript:/a/b.jsonl': '{"offset":12}',
      [`odd ${HOSTILE.slice(0, 9)}`]: HOSTILE,
    }),
  )
  await fillBeside(store)
  const rows = await readAll(store)
  const seen = rows.map(({ json }) => JSON.parse(json) as { source: string; session_id: string; ts: number })
  value(await store.retain({ before: seen[Math.floor(seen.length / 10)]?.ts ?? 0 }))
  const gone = [seen[Math.floor(seen.length / 2)], { source: 'codex', session_id: 'gone' }].flatMap((each) =>
    each === undefined ? [] : [{ source: each.source, id: each.session_id }],
  )
  value(await store.forgetting.begin(gone))
  value(await store.forgetting.remove(gone))
  value(await store.forgetting.end(gone))
  value(await store.forgetting.begin([{ source: 'codex', id: 'half gone' }]))
  await appendAll(store, day(seed + 1, 500))
}

async function fillBeside({
  annotations,
  achievementStore,
  templateUses,
  turns,
  accounts,
  conversations,
}: EventStore): Promise<void> {
  value(
    await annotations.mark(
      { source: SOURCE, id: 'one' },
      { tags: ['a', 'b "c" \\ {d,e}', 'NULL', ' '], note: HOSTILE },
    ),
  )
  value(await annotations.mark({ source: SOURCE, id: 'two' }, { note: '' }))
  value(await annotations.saveFilter('mine', { q: HOSTILE.slice(0, 40) }))
  value(
    await achievementStore.contribute([
      { scope: 'all', source: 'codex', id: 'one', fingerprint: 'f', doc: '{"title":"x"}' },
    ]),
  )
  value(
    await achievementStore.unlock([{ view: 'all', id: 'first', doc: '{"evidence":{"session_id":"one"}}' }]),
  )
  value(await achievementStore.note('origin', '{"home":"x"}'))
  const use = injection('codex/one', { drawn: true, source: 'codex', session_id: 'one' })
  value(await templateUses.inject(use))
  value(await templateUses.inject({ ...use, key: 'x'.repeat(5_000), drawn: false, arm: 'without' }))
  value(
    await templateUses.note({ name: 'tidy', made_at: 5.5, source: 'codex', session_id: 'one', doc: '{}' }),
  )
  value(await turns.keep(['t1', 't2'].map((id) => turn(id, { question: HOSTILE }))))
  const storedAccounts = ACCOUNTED.map((id, n) => {
    const of = account(id, { project: n === 1 ? null : `p${n}`, title: HOSTILE })
    return {
      ...of,
      agents: [
        createAgentAccount(of, { flags: ['silent'] as never }),
        createAgentAccount(of, { agent_id: `a${n}`, subagent_type: 'Explore' }),
      ],
      claims: [createClaim(of, 1), createClaim(of, 2, { model: null, value: HOSTILE })],
      skills: [
        createSkillUse(of, `t${n}`),
        createSkillUse(of, `u${n}`, { success: null, duration_ms: null, skill: 'n\0l' }),
      ],
      cells: [
        cell('2026-09-15'),
        cell('2026-09-16', { cost_micro_usd: 9_007_199_254_740_991, model: 'haiku' }),
      ],
    }
  })
  value(await accounts.put(storedAccounts, { 'review: at': '12' }))
  value(
    await accounts.journal([
      { journal: 'agents', source: 'codex', session_id: 'one', line: 'l1', mark: HOSTILE },
    ]),
  )
  value(await conversations.create(head('c', { title: HOSTILE.slice(0, 60) })))
  for (const each of ['one', 'two', 'three']) await exchange(conversations, 'c', each)
  value(await conversations.setEpoch('c', epoch({ summarised_to: 'one-a', summary: HOSTILE })))
  await exchange(conversations, 'c', 'four', { replaces: 'three-u' })
  value(await conversations.fork('c', 'two-a', head('d', { forked_from: { id: 'c', message_id: 'two-a' } })))
  value(await conversations.create(head('e')))
  value(
    await conversations.begin(
      beginning('e', 'five', { files: [{ name: 'a.txt', type: 'text/plain', data: 'aGk=' }] as never }),
    ),
  )
  value(await conversations.remember({ id: 'f1', ts: 5, text: HOSTILE }))
}

const SESSION = { source: 'codex', id: 'one' }
const PAGE = { limit: 1_000 }

/** Reads every answer that a store can give. */
export async function readAllAnswers(store: EventStore): Promise<Readonly<Record<string, unknown>>> {
  const { annotations, achievementStore, templateUses, turns, accounts, conversations, forgetting } = store
  const { first, last } = value(await store.head())
  const { engine: _, path: __, bytes: ___, schemaVersion: ____, ...info } = value(await store.info())
  const span = { from: info.firstTs ?? 0, to: (info.lastTs ?? 0) + 1 }
  const moments = [0, 0.1, 0.37, 0.5, 0.81, 0.99, 1]
  const fingerprints = value(await accounts.fingerprints('codex'))
  return {
    info,
    log: await readAll(store),
    down: (await readAll(store, { down: true })).length,
    text: await readAll(store, { filter: { text: '漢字' } }),
    failed: await readAll(store, { filter: { failed: true } }),
    agent: await readAll(store, { filter: { agent: 'main', source: SOURCE } }),
    marks: value(await store.marks(['transcript:/a/b.jsonl', 'review: at'])),
    counters: value(await store.counters()),
    agents: value(await store.agents({ limit: 5_000 })),
    alive: value(await store.aliveCount()),
    tools: value(await store.tools()),
    sessions: value(await store.sessions({ limit: 5_000 })),
    found: [...value(await store.findAgents(['main', 'a1', 'nobody']))],
    replay: await Promise.all(
      moments.flatMap((at) => [
        store.replayAt({ seq: Math.floor(first + at * (last - first)) }).then(value),
        store.replayAt({ ts: Math.floor(span.from + at * (span.to - span.from)) }).then(value),
      ]),
    ),
    timeline: value(await store.timeline({ ...span, slices: 97 })),
    marked: [
      value(await annotations.list({})),
      value(await annotations.tags()),
      value(await annotations.filters()),
    ],
    achievementStore: [
      value(await achievementStore.contributions('all', '', 100)),
      value(await achievementStore.unlocks('all')),
      [...value(await achievementStore.notes())],
    ],
    templateUses: [value(await templateUses.injections({})), value(await templateUses.notes())],
    turns: [value(await turns.list(PAGE)), value(await turns.get('t1'))],
    known: [...fingerprints],
    accounts: await Promise.all(ACCOUNTED.map((id) => accounts.get({ source: 'codex', id }).then(value))),
    rows: [
      value(await accounts.agents({ ...PAGE, all: true })),
      value(await accounts.agents({ ...PAGE, agent: 'a1', all: true })),
      value(await accounts.claims(PAGE)),
      value(await accounts.skillUses(PAGE)),
      value(await accounts.followUps(PAGE)),
      value(await accounts.flagged(PAGE)),
      value(await accounts.skills({})),
      value(await accounts.outcomes({})),
      value(await accounts.totals({})),
    ],
    costs: await Promise.all(
      (['day', 'model', 'agent', 'session', 'project'] as const).map((by) =>
        accounts.costs({ by, splitByModel: by === 'day' }).then(value),
      ),
    ),
    journal: value(await accounts.journaled([SESSION])),
    conversations: value(await conversations.list({ limit: 100 })),
    searched: value(await conversations.list({ limit: 100, text: 'answer of' })),
    whole: await Promise.all(['c', 'd', 'e'].map((id) => conversations.get(id).then(value))),
    windows: await Promise.all(
      ['c', 'd'].map(async (id) => {
        const window = value(await conversations.window(id, { chars: 100_000 }))
        return { ...window, preambles: [...(window?.preambles ?? [])] }
      }),
    ),
    sent: value(await conversations.sent('c', 'one-u')),
    files: value(await conversations.files('five-u')),
    runs: value(await conversations.events('one-run')),
    unended: value(await conversations.unended()),
    facts: value(await conversations.facts()),
    forgotten: [value(await forgetting.pending()), forgetting.has({ source: 'codex', id: 'gone' })],
    forgottenHashes: value(await forgetting.forgotten()).hashes.toSorted(),
  }
}
