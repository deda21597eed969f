import type { Connection } from './database.ts'

/** Reads every row of the log and of its keys within one snapshot, and returns the problems found. */
export async function verify({ row }: Connection): Promise<readonly string[]> {
  const found = await row(
    `SELECT last - base AS expected,
       (SELECT count(*) FROM events WHERE seq > base) AS kept,
       (SELECT count(*) FROM log) AS told,
       (SELECT count(*) FROM event_keys AS k JOIN log AS e ON e.seq = k.seq) AS keyed,
       (SELECT count(*) FROM event_keys) AS keys,
       (SELECT sum(length(body)) FROM events) AS characters
     FROM head`,
  )
  const wrong: string[] = []
  if (found?.kept !== found?.expected)
    wrong.push(`the log has ${found?.kept} events, but its event numbers imply ${found?.expected}`)
  if (found?.keyed !== found?.told || found?.keys !== found?.told)
    wrong.push(`of ${found?.told} events, ${found?.keyed} have a key, and ${found?.keys} keys are stored`)
  return wrong
}
