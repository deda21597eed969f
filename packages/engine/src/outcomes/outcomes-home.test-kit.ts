import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { EventStore } from '@panoptes/engine/store'
import { config, EVENT_VERSION, type NewEvent } from '@panoptes/schema'
import { onTestFinished } from 'vitest'
import { openReview } from './open.ts'
import { linesIn, NOON, openStore, tempFolder, value } from './outcomes.test-kit.ts'
import type { Review } from './outcomes.ts'

/** A row of a Claude Code transcript, this many seconds after noon. */
export const asked = (text: string, second = 0) => ({
  type: 'user',
  uuid: `u${second}`,
  timestamp: new Date(NOON + second * 1_000).toISOString(),
  cwd: '/srv/notes',
  message: { role: 'user', content: text },
})

export const replied = (id: string, text: string, second = 1, model = 'claude-opus-4-8') => ({
  type: 'assistant',
  uuid: `a${id}`,
  timestamp: new Date(NOON + second * 1_000).toISOString(),
  cwd: '/srv/notes',
  message: {
    id,
    role: 'assistant',
    model,
    content: [{ type: 'text', text }],
    usage: { input_tokens: 100, output_tokens: 10 },
  },
})

let keys = 0

export const event = (
  session_id: string,
  kind: string,
  more: Readonly<Record<string, unknown>> = {},
): NewEvent => {
  keys += 1
  return {
    v: EVENT_VERSION,
    key: `k${keys}`,
    ts: NOON + keys,
    event: kind,
    source: 'claude-code',
    host: 'here',
    session_id,
    ...more,
  }
}

type Options = Parameters<typeof openReview>[0]

/** A folder of Claude Code transcripts and the outcomes read from it. */
export function homeIn(folder: string, clock = { now: Date.now() }) {
  const placeOf = (id: string) => join(folder, '.claude', 'projects', '-work-notes', `${id}.jsonl`)
  const text = (id: string, rows: readonly object[]) =>
    rows.map((row) => `${JSON.stringify({ sessionId: id, ...row })}\n`).join('')
  return {
    transcript: (id: string, rows: readonly object[]) => {
      mkdirSync(dirname(placeOf(id)), { recursive: true })
      writeFileSync(placeOf(id), text(id, rows))
    },
    more: (id: string, rows: readonly object[]) => appendFileSync(placeOf(id), text(id, rows)),
    open: async (store: EventStore, more: Partial<Options> = {}): Promise<Review> => {
      const review = value(
        await openReview({
          store,
          config: config.parse({}),
          paths: {
            journals: join(folder, 'journals'),
            prices: join(folder, 'prices.json'),
            skillsReview: join(folder, 'skills-review.json'),
          },
          env: { HOME: folder },
          zone: 'UTC',
          now: () => clock.now,
          pacing: { settleMs: 20, restMs: 50, retryMs: 200, journalRestMs: 5_000 },
          ...more,
        }),
      )
      let closing: Promise<void> | undefined
      const close = () => {
        closing ??= review.close()
        return closing
      }
      onTestFinished(close)
      return { ...review, close }
    },
    journal: (name: 'agent-toolstats' | 'numeric-claims'): readonly Record<string, unknown>[] =>
      linesIn(join(folder, 'journals', `${name}.jsonl`)).map((line) => JSON.parse(line)),
  }
}

/** Creates the same home with an event store, one day after noon. */
export async function reviewHome() {
  const folder = tempFolder()
  const ledger = await openStore(join(folder, 'ledger.db'))
  const clock = { now: NOON + 86_400_000 }
  const home = homeIn(folder, clock)
  return { ...home, folder, ledger, clock, open: (more?: Partial<Options>) => home.open(ledger, more) }
}
