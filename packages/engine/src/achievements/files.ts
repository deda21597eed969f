import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { achievementsReply, type Failure } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import type { Snapshot } from './snapshot-store.ts'

const OWN = 0o600
const OWN_FOLDER = 0o700
const MARK = '\ufeff'

/** Replaces a file: it appears whole or not at all. */
export function writeJson(file: string, value: unknown): Failure | undefined {
  const beside = `${file}.${process.pid}.tmp`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: OWN_FOLDER })
    writeFileSync(beside, `${JSON.stringify(value, null, 2)}\n`, { mode: OWN })
    renameSync(beside, file)
    return undefined
  } catch (error) {
    removeQuietly(beside)
    const why = error instanceof Error ? error.message : String(error)
    return failure('io', `${file} could not be written: ${why}. Make room for it, or let it be written.`)
  }
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // Where nothing can be written there is nothing to remove either.
  }
}

/** What a file holds; nothing where it is not there or is no JSON. */
export function readJson(file: string): unknown {
  try {
    const text = readFileSync(file, 'utf8')
    return JSON.parse(text.startsWith(MARK) ? text.slice(MARK.length) : text)
  } catch {
    return undefined
  }
}

const kept = achievementsReply.omit({ is_stale: true })

/** Nothing where it is of another home of Hermes. */
export function readSnapshot(file: string, home?: string): Snapshot | undefined {
  const read = readJson(file)
  const parsed = kept.safeParse(read)
  if (!parsed.success) return undefined
  const { hermes_home: of } = read as { readonly hermes_home?: unknown }
  return of === undefined || home === undefined || of === home ? parsed.data : undefined
}
