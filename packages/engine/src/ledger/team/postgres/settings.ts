import type { Database } from '../../postgres/database.ts'

export async function readSettings({ rows }: Database): Promise<Readonly<Record<string, string>>> {
  const found = await rows('SELECT name, value FROM settings ORDER BY name')
  return Object.fromEntries(found.map(({ name, value }) => [String(name), String(value)]))
}

export async function setSetting({ run }: Database, name: string, value: string | null): Promise<boolean> {
  if (value === null) return (await run('DELETE FROM settings WHERE name = $1', [name])) > 0
  await run('INSERT INTO settings VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value', [
    name,
    value,
  ])
  return true
}
