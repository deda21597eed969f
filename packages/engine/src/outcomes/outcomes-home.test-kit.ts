import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openSessions } from '@panoptes/engine/sessions'
import type { EventStore } from '@panoptes/engine/store'
import { config, EVENT_VERSION, type NewEvent } from '@panoptes/schema'
import { onTestFinished } from 'vitest'
import { createSkillNames, openReview } from './open.ts'
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
      const env = more.env ?? { HOME: folder }
      const history = join(folder, 'history.db')
      const settings = more.config ?? config.parse({})
      const sessions = value(
        await openSessions({
          file: history,
          env,
          prices: settings.prices,
          catalogue: join(folder, 'prices.json'),
          zone: more.zone ?? 'UTC',
          forgotten: value(await store.forgetting.forgotten()),
          skills: createSkillNames({ store, env, config: settings, isShared: false }),
        }),
      )
      const unfollow = sessions.follow()
      const review = value(
        await openReview({
          store,
          sessions,
          config: config.parse({}),
          paths: {
            journals: join(folder, 'journals'),
            prices: join(folder, 'prices.json'),
            skillsReview: join(folder, 'skills-review.json'),
            history,
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
        closing ??= review.close().then(() => {
          unfollow()
          return sessions.close()
        })
        return closing
      }
      onTestFinished(close)
      // As the daemon does: it follows first, and then reads what there is.
      const follow = () => {
        const end = review.follow()
        void sessions.refresh()
        return end
      }
      return { ...review, follow, close }
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
