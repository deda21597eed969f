import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileFailure, makeFolder, type Paths, replaceFile } from '@panoptes/engine/home'
import { check, type Result, success } from '@panoptes/schema'
import { z } from 'zod'

/** What we wrote into a settings file, so that it can be undone exactly. */
const installed = z.looseObject({
  agent: z.string(),
  file: z.string(),
  /** Of the file as we left it. */
  sha256: z.string(),
  /** A copy of the file as it was before; null where there was none. */
  backup: z.string().nullable(),
  /** Its mode before, so that a file which had to be closed for a token is opened again. */
  mode: z.int().optional(),
  at: z.int(),
})
export type Installed = z.infer<typeof installed>

const records = z.looseObject({ v: z.literal(1), installs: z.array(installed) })

const recordFile = (paths: Paths): string => join(paths.hooks, 'installed.json')

/** A record that cannot be read is as good as none: then only our own entries are taken out. */
export async function readRecords(paths: Paths): Promise<readonly Installed[]> {
  try {
    const checked = check(records, JSON.parse(await readFile(recordFile(paths), 'utf8')))
    return checked.ok ? checked.value.installs : []
  } catch {
    return []
  }
}

/** Keeps one record for a file, or none. */
export async function writeRecord(
  paths: Paths,
  file: string,
  record: Installed | null,
): Promise<Result<void>> {
  const others = (await readRecords(paths)).filter((known) => known.file !== file)
  const document = { v: 1, installs: record ? [...others, record] : others }
  try {
    await makeFolder(paths.hooks)
    await replaceFile(recordFile(paths), `${JSON.stringify(document, null, 2)}\n`)
    return success(undefined)
  } catch (error) {
    return fileFailure(error, recordFile(paths), 'write')
  }
}
