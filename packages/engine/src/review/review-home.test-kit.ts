import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Ledger } from '@panoptes/engine/ledger'
import { config, EVENT_VERSION, type NewEvent } from '@panoptes/schema'
import { onTestFinished } from 'vitest'
import { openReview } from './open.ts'
import { linesIn, NOON, openLedger, tempFolder, value } from './review.test-kit.ts'
import type { Review } from './review.ts'

/** A row of Claude Code's transcripts, so many seconds after noon. */
export const asked = (text: string, second = 0) => ({
  type: 'user',
  uuid: `u${second}`,
  timestamp: new Date(NOON + second * 1_000).toISOString(),
  cwd: '/work/notes',
  message: { role: 'user', content: text },
})

export const replied = (id: string, text: string, second = 1, model = 'claude-opus-4-8') => ({
  type: 'assistant',
  uuid: `a${id}`,
  timestamp: new Date(NOON + second * 1_000).toISOString(),
  cwd: '/work/notes',
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

export interface ReviewHome {
  readonly folder: string
  readonly ledger: Ledger
  readonly clock: { now: number }
  readonly transcript: (id: string, rows: readonly object[]) => void
  readonly more: (id: string, rows: readonly object[]) => void
  readonly open: (more?: Partial<Parameters<typeof openReview>[0]>) => Promise<Review>
  readonly journal: (name: 'agent-toolstats' | 'numeric-claims') => readonly Record<string, unknown>[]
}

/** A home with a ledger, in which Claude Code leaves transcripts. */
export async function reviewHome(): Promise<ReviewHome> {
  const folder = tempFolder()
  const ledger = await openLedger(join(folder, 'ledger.db'))
  const clock = { now: NOON + 86_400_000 }
  const placeOf = (id: string) => join(folder, '.claude', 'projects', '-work-notes', `${id}.jsonl`)
  const text = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  return {
    folder,
    ledger,
    clock,
    transcript: (id, rows) => {
      mkdirSync(dirname(placeOf(id)), { recursive: true })
      writeFileSync(placeOf(id), text(rows.map((row) => ({ sessionId: id, ...row }))))
    },
    more: (id, rows) => appendFileSync(placeOf(id), text(rows.map((row) => ({ sessionId: id, ...row })))),
    open: async (more = {}) => {
      const review = value(
        await openReview({
          ledger,
          config: config.parse({}),
          paths: {
            journals: join(folder, 'journals'),
            prices: join(folder, 'prices.json'),
            skillsReview: join(folder, 'skills-review.json'),
          },
          env: { HOME: folder },
          zone: 'UTC',
          now: () => clock.now,
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
    journal: (name) => linesIn(join(folder, 'journals', `${name}.jsonl`)).map((line) => JSON.parse(line)),
  }
}
