import type { Client } from '../../daemon/client.ts'
import type { Asked, LedgerAccess } from './access.ts'

/** As the daemon tells it. */
export function ofDaemon(client: Client): LedgerAccess {
  const ask =
    <T>(name: string) =>
    (query: Asked): Promise<T> => {
      const given = Object.entries(query).flatMap(([key, value]): [string, string][] =>
        value === undefined ? [] : [[key, String(value)]],
      )
      return client.json<T>(`/api/ledger/${name}?${new URLSearchParams(given)}`)
    }
  const send = <T>(name: string, body: object): Promise<T> =>
    client.json<T>(`/api/ledger/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  return {
    agents: ask('agents'),
    claims: ask('claims'),
    skillUses: ask('skill-uses'),
    skills: ask('skills'),
    costs: ask('costs'),
    outcomes: ask('outcomes'),
    calibration: ask('calibration'),
    followUps: ask('followups'),
    budgets: () => ask<never>('budgets')({}),
    reviewSkills: (order) => send('skills/review', order),
    recordSkill: (use) => send('skill-uses', use),
  }
}
