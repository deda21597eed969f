import { existsSync } from 'node:fs'
import {
  type EventStore,
  formatPlace,
  openStore,
  type StoreLocation,
  verifyStoreFile,
} from '@panoptes/engine/store'
import type { Result } from '@panoptes/schema'
import { type Check, type Finding, failed, ok, type Patient, warning } from './check.ts'
import { lockHolder } from './holders.ts'

export const lockCheck: Check = {
  id: 'lock',
  title: 'Store lock',
  run: async ({ paths }: Patient) => {
    const file = `${paths.store}.lock`
    if (!existsSync(file)) return ok('Free')
    const holder = await lockHolder(file)
    if (!holder) return ok('Free')
    if (holder.pid === process.pid) return ok('Held by this process')
    return ok(`Held by process ${holder.pid} (${holder.name})`)
  },
}

export const storeCheck: Check = {
  id: 'ledger',
  title: 'Store',
  // This check opens the store, and then this very process would hold the lock.
  after: lockCheck,
  run: async ({ store, paths, place = { kind: 'sqlite', file: paths.store } }) => {
    if (store) return (await findDamage(store, place)) ?? (await refusal(store)) ?? describe(store, place)
    const where = formatPlace(place)
    if (place.kind === 'sqlite') {
      if (!existsSync(place.file)) return ok(`${where} does not exist yet; panoptes up creates it`)
      // The file is verified first and on its own, so that the result is the same whether Panoptes runs or
      // not.
      const wrong = damaged(await verifyStoreFile(place.file))
      if (wrong) return wrong
    }
    const opened = await openStore(place)
    if (!opened.ok) {
      if (opened.code === 'locked') return busyFinding(where)
      if (opened.code === 'newer_version') {
        return failed(where, opened.message, 'Update Panoptes, then restart it.')
      }
      return failed(where, opened.message, describeRemedy(place))
    }
    try {
      return await examine(opened.value, place)
    } finally {
      await opened.value.close()
    }
  },
}

const describeRemedy = ({ kind }: StoreLocation): string =>
  kind === 'sqlite'
    ? 'Restore a backup, or move the file away and start fresh.'
    : 'Start the database, or fix its address: --store, PANOPTES_LEDGER, or team.ledger in config.yaml.'

const busyFinding = (file: string): Finding =>
  warning(file, 'Another Panoptes is using it', 'The file is intact. See: panoptes status')

async function examine(store: EventStore, place: StoreLocation): Promise<Finding> {
  if (place.kind === 'postgres') {
    const wrong = await store.verify()
    if (!wrong.ok) return failed('The database could not be checked', wrong.message, 'Restore a backup.')
    if (wrong.value.length > 0) {
      const cause = wrong.value.slice(0, 3).join('; ')
      return failed('The database is damaged', cause, 'Copy the database, then restore a backup.')
    }
  }
  const found = await describe(store, place)
  if (found.state !== 'ok') return found
  return ok(`${found.detail}, ${place.kind === 'sqlite' ? 'file' : 'database'} intact`)
}

/**
 * Returns the damage found in a file, or undefined when the file is intact or when opening it gives a better
 * reason.
 */
function damaged(checked: Result<readonly string[]>): Finding | undefined {
  if (!checked.ok && checked.code !== 'corrupt') return undefined
  if (checked.ok && checked.value.length === 0) return undefined
  const cause = checked.ok ? checked.value.slice(0, 3).join('; ') : checked.message
  return failed(
    'The store is damaged',
    cause,
    'Recover what is readable with: panoptes rescue FILE. Then restore a backup or use the recovered file.',
  )
}

const FRESH_MS = 600_000
const verified = new WeakMap<
  EventStore,
  { readonly at: number; readonly found: Promise<Finding | undefined> }
>()

/** Verification reads the whole file, so a running Panoptes does it at most every ten minutes. */
function findDamage(store: EventStore, place: StoreLocation): Promise<Finding | undefined> {
  if (place.kind === 'postgres') return Promise.resolve(undefined)
  const last = verified.get(store)
  const now = performance.now()
  if (last && now - last.at < FRESH_MS) return last.found
  const found = store.verify().then(damaged)
  verified.set(store, { at: now, found })
  return found
}

/**
 * A store that answers may still be unable to write: its files are gone, or the disk is full or read-only.
 */
async function refusal(store: EventStore): Promise<Finding | undefined> {
  const writable = await store.checkWritable()
  if (writable.ok || !STORES_NOTHING.has(writable.code)) return undefined
  const next = {
    gone: 'Put the folder back, or restart Panoptes.',
    disk_full: 'Free some space; Panoptes recovers automatically.',
    corrupt: 'Stop Panoptes, then recover what is readable with: panoptes rescue FILE',
    io: 'Check the disk. Panoptes recovers automatically once it can write again.',
  }[writable.code as string]
  return failed('Nothing is stored', writable.message, next ?? 'Make the folder of Panoptes writable again.')
}

const STORES_NOTHING: ReadonlySet<string> = new Set(['gone', 'disk_full', 'read_only', 'corrupt', 'io'])

async function describe(store: EventStore, place: StoreLocation): Promise<Finding> {
  const info = await store.info()
  if (!info.ok)
    return place.kind === 'sqlite'
      ? failed('The store is not responding', info.message, 'Restart Panoptes.')
      : failed(
          'The database of this hub is unavailable',
          info.message,
          'Find out why with: panoptes doctor --team. The hub recovers automatically when the database is back.',
        )
  const { path, bytes, schemaVersion, events } = info.value
  return ok(
    `${path}, ${events.toLocaleString('en-US')} events, ${(bytes / 1e6).toFixed(1)} MB, version ${schemaVersion}`,
  )
}
