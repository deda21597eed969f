import { join } from 'node:path'
import { openSqliteLedger } from '@panoptes/engine/ledger'
import { config } from '@panoptes/schema'
import { openReview } from './open.ts'

/** Reads what sessions amounted to in a home, until it is killed. */
const folder = process.argv[2] ?? ''
const ledger = await openSqliteLedger(join(folder, 'ledger.db'))
if (!ledger.ok) throw new Error(ledger.message)
const review = await openReview({
  ledger: ledger.value,
  config: config.parse({}),
  paths: {
    journals: join(folder, 'journals'),
    prices: join(folder, 'prices.json'),
    skillsReview: join(folder, 'skills-review.json'),
  },
  env: { HOME: folder },
  zone: 'UTC',
})
if (!review.ok) throw new Error(review.message)
const looking = setInterval(() => review.value.reading().total > 0 && console.log('reading'), 1)
await review.value.refresh()
clearInterval(looking)
await review.value.close()
await ledger.value.close()
