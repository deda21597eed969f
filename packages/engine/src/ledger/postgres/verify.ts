import type { Connection } from './database.ts'

/** Reads every row of the log and of its keys; answers what is wrong. All within one snapshot. */
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
    wrong.push(`the log has ${found?.kept} events where its numbers say ${found?.expected}`)
  if (found?.keyed !== found?.told || found?.keys !== found?.told)
    wrong.push(`${found?.told} events have ${found?.keys} keys, ${found?.keyed} of them their own`)
  return wrong
}
