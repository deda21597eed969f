import type { IndexChange, IndexedMessage } from '../port.ts'
import { agent, message, session, sessionChanges } from './lab.ts'

/** Generates the same values for the same seed. */
export function chance(seed: number) {
  let state = seed
  const next = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
  const below = (most: number) => Math.floor(next() * most)
  const one = <T>(list: readonly T[]): T => list[below(list.length)] as T
  return { below, one, often: (share: number) => next() < share }
}

export type Chance = ReturnType<typeof chance>

const LATIN =
  'the fix build gateway Gateway timeout café CAFE naïve Straße ﬁle İzmir ῥόδος ΣΊΣΥΦΟΣ сервер ёлка'.split(
    ' ',
  )
const CODE = 'src/main.ts foo_bar fooBar() 0x1f v1.2.3 a-b-c UPPER_CASE index[0] {"key":42} C++ #123'.split(
  ' ',
)
const UNSPACED = [
  '请修复数据库连接',
  '数据',
  '库',
  'データベースを直す',
  'ベース',
  '데이터베이스 수정',
  'x数据y',
  'ｶﾀｶﾅ',
  'กขค',
  'हिन्दी',
]
const SIGNS = [
  '🚀',
  '👩‍💻',
  '🫠',
  '—',
  '…',
  '\u0000',
  '\ud83d',
  '\ue000',
  'x\u0301yz',
  'e\u0301',
  '…done…',
  '²',
  'Ⅷ',
  '½',
  '𝔘𝔫',
  'ⓐ',
  '\u{1fae8}',
]
const ALL = [LATIN, LATIN, LATIN, CODE, CODE, UNSPACED, SIGNS]
const TOOLS = ['Bash', 'Read', 'mcp__notes__search', 'Web-Fetch', 'bash']
const ROLES = ['user', 'assistant', 'tool', 'system'] as const

const randomWord = (by: Chance): string => (by.often(0.1) ? `w${by.below(60)}` : by.one(by.one(ALL)))

export const randomText = (by: Chance, most: number): string =>
  Array.from(
    { length: by.below(most) },
    () => randomWord(by) + by.one([' ', ' ', ' ', '\n', ', ', '/', '']),
  ).join('')

function randomMessage(by: Chance, n: number): IndexedMessage {
  const text = by.often(0.02)
    ? 'long'.repeat(1_500)
    : `${by.often(0.8) ? 'common ' : ''}${randomText(by, 14)}`
  const usage = {
    input: by.below(100),
    output: by.below(9),
    cache_read: null,
    cache_write: 1,
    cache_write_1h: null,
    reasoning: null,
  }
  return message(by.often(0.05) ? '' : text, {
    id: `m${n}`,
    agent_id: by.one(['main', 'main', 'helper']),
    role: by.one(ROLES),
    ts: by.often(0.1) ? null : by.below(50),
    model: by.one([null, 'small', 'big']),
    tools: by.often(0.3) ? [by.one(TOOLS), by.one(TOOLS)] : [],
    errors: by.below(2),
    failed: by.often(0.1) ? ['Bash'] : [],
    usage: by.often(0.5) ? usage : null,
    cost_micro_usd: by.often(0.7) ? by.below(1_000) : null,
  })
}

const SESSIONS = 40

export const randomId = (by: Chance): string => `s${by.below(SESSIONS)}`
export const randomSource = (by: Chance): string => by.one(['claude-code', 'hermes'])

/** Generates changes of one session: all of it, only its beginning, or its removal. */
export function randomChanges(by: Chance): readonly IndexChange[] {
  const [source, id] = [randomSource(by), randomId(by)]
  if (by.often(0.08)) return [{ type: 'drop', source, id }]
  if (by.often(0.04)) return [{ type: 'leave', source, id }]
  const messages = Array.from({ length: by.often(0.1) ? 150 + by.below(200) : by.below(30) }, (_, n) =>
    randomMessage(by, n),
  )
  const of = session(id, {
    source,
    project: by.one([null, 'notes', 'Notes', 'été']),
    model: by.one([null, 'big', 'other']),
    last_at: by.often(0.1) ? null : by.below(20) * 86_400_000,
    fingerprint: `f${by.below(1_000)}`,
    title: by.one([null, 'A title', 'Ein \u0000 Titel']),
  })
  const [begin, ...rest] = sessionChanges(of, messages)
  const agents = ['main', 'helper'].map(
    (name): IndexChange => ({ type: 'agent', source, id, agent: agent(name) }),
  )
  const all = [begin as IndexChange, ...agents.slice(by.below(3)), ...rest]
  return by.often(0.08) ? all.slice(0, -1) : all
}

/** Generates a query as a person would type it. */
export function typedBy(by: Chance): string {
  const text = by.often(0.6)
    ? randomWord(by)
    : by.often(0.5)
      ? `"${randomWord(by)} ${randomWord(by)}"`
      : randomText(by, 4)
  const cut = by.often(0.3) ? text.slice(0, 1 + by.below(text.length)) : text
  return (by.often(0.3) ? 'common ' : '') + cut + by.one(['', ' '])
}
