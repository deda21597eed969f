import { existsSync } from 'node:fs'
import { type Ledger, type LedgerPlace, openLedger, shownPlace } from '@panoptes/engine/ledger'
import { type Check, type Finding, failed, ok, type Patient, warning } from './check.ts'
import { lockHolder } from './holders.ts'

export const lockCheck: Check = {
  id: 'lock',
  title: 'Ledger lock',
  run: async ({ paths }: Patient) => {
    const file = `${paths.ledger}.lock`
    if (!existsSync(file)) return ok('Free')
    const holder = await lockHolder(file)
    if (!holder) return ok('Free')
    if (holder.pid === process.pid) return ok('Held by this process')
    return ok(`Held by process ${holder.pid} (${holder.name})`)
  },
}

export const ledgerCheck: Check = {
  id: 'ledger',
  title: 'Ledger',
  // It opens the ledger, and the lock would then be held by this very process.
  after: lockCheck,
  run: async ({ ledger, paths, place = { kind: 'sqlite', file: paths.ledger } }) => {
    if (ledger) return describe(ledger, place)
    const where = shownPlace(place)
    if (place.kind === 'sqlite' && !existsSync(place.file))
      return ok(`${where} is not there yet; panoptes up makes it`)
    const opened = await openLedger(place)
    if (!opened.ok) {
      if (opened.code === 'locked') return busy(where)
      if (opened.code === 'newer_version') {
        return failed(where, opened.message, 'Update Panoptes, then start it again.')
      }
      return failed(where, opened.message, wayOut(place))
    }
    try {
      return await examine(opened.value, place)
    } finally {
      await opened.value.close()
    }
  },
}

const wayOut = ({ kind }: LedgerPlace): string =>
  kind === 'sqlite'
    ? 'Put back a backup, or move the file away and start anew.'
    : 'Start the database, or correct its address: --ledger, PANOPTES_LEDGER, or team.ledger in config.yaml.'

const busy = (file: string): Finding =>
  warning(
    file,
    'Another Panoptes has it open',
    'Ask that one: panoptes status. The full check needs it stopped.',
  )

async function examine(ledger: Ledger, place: LedgerPlace): Promise<Finding> {
  const what = place.kind === 'sqlite' ? 'file' : 'database'
  const wrong = await ledger.verify()
  if (!wrong.ok) return failed(`The ${what} could not be checked`, wrong.message, 'Put back a backup.')
  if (wrong.value.length > 0) {
    const next = `Keep a copy of the ${what}, then put back a backup.`
    return failed(`The ${what} is damaged`, wrong.value.slice(0, 3).join('; '), next)
  }
  const found = await describe(ledger, place)
  return found.state === 'ok' ? ok(`${found.detail}, ${what} intact`) : found
}

async function describe(ledger: Ledger, place: LedgerPlace): Promise<Finding> {
  const info = await ledger.info()
  if (!info.ok)
    return place.kind === 'sqlite'
      ? failed('The ledger does not answer', info.message, 'Start Panoptes again.')
      : failed(
          'The database of this hub is away',
          info.message,
          'Look with: panoptes doctor --team. The hub goes on by itself when the database is back.',
        )
  const { path, bytes, schemaVersion, head } = info.value
  const events = Math.max(0, head.last - head.first + 1).toLocaleString('en-US')
  return ok(`${path}, ${events} events, ${(bytes / 1e6).toFixed(1)} MB, version ${schemaVersion}`)
}
