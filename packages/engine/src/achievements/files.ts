import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { readRegularSync } from '@panoptes/engine/home'
import { achievementsReply, type Failure } from '@panoptes/schema'
import { parseJson } from '@panoptes/schema/json'
import { failure } from '@panoptes/schema/result'
import type { Snapshot } from './snapshot-store.ts'

const OWN = 0o600
const OWN_FOLDER = 0o700
const MARK = '\ufeff'

export const writeJson = (file: string, value: unknown): Failure | undefined =>
  writeParts(file, [`${JSON.stringify(value, null, 2)}\n`])

/** Replaces a file atomically, without holding all its parts in memory. */
export function writeParts(file: string, parts: Iterable<string>): Failure | undefined {
  const beside = `${file}.${process.pid}.tmp`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: OWN_FOLDER })
    writeNew(beside, parts)
    renameSync(beside, file)
    return undefined
  } catch (error) {
    removeQuietly(beside)
    const why = error instanceof Error ? error.message : String(error)
    return failure('io', `${file} could not be written: ${why}. Free some space, or make it writable.`)
  }
}

function writeNew(file: string, parts: Iterable<string>): void {
  const opened = openSync(file, 'w', OWN)
  try {
    for (const part of parts) {
      const bytes = Buffer.from(part)
      for (let written = 0; written < bytes.length; ) written += writeSync(opened, bytes, written)
    }
  } finally {
    closeSync(opened)
  }
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // If nothing can be written, there is nothing to remove.
  }
}

/** Reads a JSON file; undefined if it is missing or invalid. */
export function readJson(file: string): unknown {
  try {
    const text = readRegularSync(file)
    return parseJson(text.startsWith(MARK) ? text.slice(MARK.length) : text)
  } catch {
    return undefined
  }
}

const storedReply = achievementsReply.omit({ is_stale: true })

/** Reads a snapshot; undefined if the file belongs to another home of Hermes. */
export function readSnapshot(file: string, home?: string): Snapshot | undefined {
  const read = readJson(file)
  const parsed = storedReply.safeParse(read)
  if (!parsed.success) return undefined
  const { hermes_home: of } = read as { readonly hermes_home?: unknown }
  return of === undefined || home === undefined || of === home ? parsed.data : undefined
}
