import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { generateHermesState } from '../fixtures/hermes/generator/index.ts'

export interface History {
  /** The home of Hermes. */
  readonly home: string
  readonly file: string
  readonly sessions: number
  readonly messages: number
}

/** Creates a history as Hermes stores it, the same on every run. */
export function makeHistory(folder: string, quick: boolean, share = 1): History {
  const home = join(folder, 'hermes')
  mkdirSync(home, { recursive: true })
  const file = join(home, 'state.db')
  const count = (quick ? 300 : 5_000) * share
  const size = { sessions: count, messages: quick ? 20 : 60 }
  const { sessions, messages } = generateHermesState({ file, seed: 2, ...size })
  return { home, file, sessions, messages }
}

export interface Asked {
  readonly kind: string
  readonly query: Readonly<Record<string, string>>
}

const WORD = /[\p{L}\p{N}]+/gu
const FILTERS: readonly Readonly<Record<string, string>>[] = [
  { tool: 'patch' },
  { errors: 'true' },
  { model: 'openai/gpt-5.4' },
  { project: 'atlas' },
  { since: '2026-06-01T00:00:00Z' },
]

/** Creates search queries from words of the history, the same on every run and without duplicates. */
export function questions(file: string, each: number): readonly Asked[] {
  const texts = sampled(file, each)
  const words = texts.map((text) => text.match(WORD) ?? [])
  const at = (list: readonly string[], share: number): string =>
    list[Math.floor(list.length * share)] ?? 'the'
  const rarest = (list: readonly string[]): string => list.toSorted((a, b) => b.length - a.length)[0] ?? 'the'
  const asked = words.flatMap((list, n): Asked[] => {
    const word = at(list, 0.4)
    const pair = list.slice(n % Math.max(1, list.length - 1)).slice(0, 2)
    return [
      { kind: 'a word', query: { q: `${word} ` } },
      { kind: 'a long word', query: { q: `${rarest(list)} ` } },
      { kind: 'two words', query: { q: `${at(list, 0.1)} ${rarest(list)} ` } },
      { kind: 'three words', query: { q: `${at(list, 0.2)} ${at(list, 0.6)} ${at(list, 0.9)} ` } },
      { kind: 'a phrase', query: { q: `"${pair.join(' ')}" ` } },
      { kind: 'while a word is typed', query: { q: word.slice(0, 1 + (n % word.length)) } },
      { kind: 'while the second is typed', query: { q: `${word} ${rarest(list).slice(0, 1 + (n % 4))}` } },
      { kind: 'with a filter', query: { q: `${word} `, ...FILTERS[n % FILTERS.length] } },
    ]
  })
  const cjk = ['日本', '日', '本', '日本 ', '数据库', '修复数据', 'データ', '한국어']
  return distinct([...asked, ...cjk.map((q) => ({ kind: 'Chinese, Japanese, Korean', query: { q } }))])
}

function sampled(file: string, count: number): readonly string[] {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const rows = db.prepare("SELECT content FROM messages WHERE content <> '' ORDER BY id").all()
    const step = Math.max(1, Math.floor(rows.length / count))
    return rows.filter((_, n) => n % step === 0).map(({ content }) => String(content).slice(0, 2_000))
  } finally {
    db.close()
  }
}

function distinct(asked: readonly Asked[]): readonly Asked[] {
  return [...new Map(asked.map((each) => [JSON.stringify(each.query), each])).values()]
}
