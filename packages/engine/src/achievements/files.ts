import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { achievementsReply, type Failure } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import type { Snapshot } from './snapshot-store.ts'

const OWN = 0o600
const OWN_FOLDER = 0o700
const MARK = '\ufeff'

export const writeJson = (file: string, value: unknown): Failure | undefined =>
  writeParts(file, [`${JSON.stringify(value, null, 2)}\n`])

/** Replaces a file: it appears whole or not at all. Its parts need not be in memory together. */
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
    return failure('io', `${file} could not be written: ${why}. Make room for it, or let it be written.`)
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
