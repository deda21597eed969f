import { join } from 'node:path'
import { fileFailure, makeFolder, type Paths, readRegular, replaceFile } from '@panoptes/engine/home'
import { check, type Result, success } from '@panoptes/schema'
import { z } from 'zod'

/** The record of what Panoptes wrote into a settings file, so that it can be undone exactly. */
const installed = z.looseObject({
  agent: z.string(),
  file: z.string(),
  /** The hash of the file as Panoptes left it. */
  sha256: z.string(),
  /** A copy of the original file; null when there was none. */
  backup: z.string().nullable(),
  /** The original mode, so that a file made private for a token gets its mode back. */
  mode: z.int().optional(),
  at: z.int(),
})
export type Installed = z.infer<typeof installed>

const records = z.looseObject({ v: z.literal(1), installs: z.array(installed) })

const recordFile = (paths: Paths): string => join(paths.hooks, 'installed.json')

/** An unreadable record counts as missing: uninstalling then removes only the entries of Panoptes. */
export async function readRecords(paths: Paths): Promise<readonly Installed[]> {
  try {
    const checked = check(records, JSON.parse(await readRegular(recordFile(paths))))
    return checked.ok ? checked.value.installs : []
  } catch {
    return []
  }
}

/** Stores the record of a file, or removes it. */
export async function writeRecord(
  paths: Paths,
  file: string,
  record: Installed | null,
): Promise<Result<void>> {
  const others = (await readRecords(paths)).filter((entry) => entry.file !== file)
  const document = { v: 1, installs: record ? [...others, record] : others }
  try {
    await makeFolder(paths.hooks)
    await replaceFile(recordFile(paths), `${JSON.stringify(document, null, 2)}\n`)
    return success(undefined)
  } catch (error) {
    return fileFailure(error, recordFile(paths), 'write')
  }
}
