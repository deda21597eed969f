import { hash } from 'node:crypto'
import { lstatSync, readFileSync } from 'node:fs'
import { check } from '@panoptes/schema'
import { z } from 'zod'

/** What was written for the tab, so that exactly that can be taken away again. */
const tabRecord = z
  .object({
    version: z.literal(1),
    folder: z.string(),
    files: z.array(z.object({ path: z.string(), sha256: z.string() })),
    /** Folders that were not there before, the outer ones first. */
    folders: z.array(z.string()),
    /** Origins that the config did not name before; once there was only one. */
    origins: z.array(z.string()).optional(),
    origin: z.string().nullish(),
  })
  .transform(({ origin, origins, ...record }) => ({
    ...record,
    origins: origins ?? (typeof origin === 'string' ? [origin] : []),
  }))
export type TabRecord = z.infer<typeof tabRecord>

export function readRecord(file: string): TabRecord | undefined {
  try {
    const checked = check(tabRecord, JSON.parse(readFileSync(file, 'utf8')))
    return checked.ok ? checked.value : undefined
  } catch {
    return undefined
  }
}

export const fingerprint = (text: string): string => hash('sha256', text)

/** The text of a regular file; nothing where there is none, null for what is something else. */
export function textAt(path: string): string | null | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  return found.isFile() ? readFileSync(path, 'utf8') : null
}
