import { join } from 'node:path'
import { openSessions } from '@panoptes/engine/sessions'
import { openSqliteStore } from '@panoptes/engine/store'
import { config } from '@panoptes/schema'
import { openReview } from './open.ts'

/**
 * Reads the outcomes of a home and kills itself after this many milliseconds. The process holds the
 * timer itself, because a parent on a busy machine might be too late.
 */
const folder = process.argv[2] ?? ''
const killAfterMs = Number(process.argv[3])
const store = await openSqliteStore(join(folder, 'ledger.db'))
if (!store.ok) throw new Error(store.message)
const history = join(folder, 'history.db')
const sessions = await openSessions({ file: history, env: { HOME: folder }, zone: 'UTC' })
if (!sessions.ok) throw new Error(sessions.message)
const review = await openReview({
  store: store.value,
  sessions: sessions.value,
  config: config.parse({}),
  paths: {
    journals: join(folder, 'journals'),
    prices: join(folder, 'prices.json'),
    skillsReview: join(folder, 'skills-review.json'),
    history,
  },
  env: { HOME: folder },
  zone: 'UTC',
})
if (!review.ok) throw new Error(review.message)
const started = setInterval(() => {
  if (review.value.reading().total === 0) return
  clearInterval(started)
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), killAfterMs).unref()
}, 1)
await review.value.refresh()
clearInterval(started)
await review.value.close()
await sessions.value.close()
await store.value.close()
