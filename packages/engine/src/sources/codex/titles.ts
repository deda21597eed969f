import { textOf } from '../fields.ts'
import { jsonLines } from '../json-lines.ts'

/** The names that people gave to threads: the last one counts. */
export async function readTitles(path: string): Promise<ReadonlyMap<string, string>> {
  const titles = new Map<string, string>()
  try {
    for await (const each of jsonLines(path)) {
      if ('problem' in each) continue
      const id = textOf(each.value.id)
      const name = textOf(each.value.thread_name)?.trim()
      if (id !== null && name) titles.set(id, name)
    }
  } catch {
    // Without the file threads have the names that their rollouts tell.
  }
  return titles
}
