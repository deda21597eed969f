import {
  costsQuery,
  followUpsQuery,
  ledgerAgentsQuery,
  ledgerClaimsQuery,
  ledgerSkillsQuery,
  ledgerSpanQuery,
  skillUsesQuery,
} from '@panoptes/schema'
import type { Client } from '../../daemon/client.ts'
import type { LedgerAccess, QueryParams } from './access.ts'
import { type Schema, valid } from './validation.ts'

/** Reads the ledger from the daemon over HTTP. */
export function ofDaemon(client: Client): LedgerAccess {
  const ask =
    <T>(name: string, schema?: Schema) =>
    async (query: QueryParams): Promise<T> => {
      if (schema) valid(schema, query)
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
    agents: ask('agents', ledgerAgentsQuery),
    claims: ask('claims', ledgerClaimsQuery),
    skillUses: ask('skill-uses', skillUsesQuery),
    skills: ask('skills', ledgerSkillsQuery),
    costs: ask('costs', costsQuery),
    outcomes: ask('outcomes', ledgerSpanQuery),
    calibration: ask('calibration', ledgerSpanQuery),
    followUps: ask('followups', followUpsQuery),
    budgets: () => ask<never>('budgets')({}),
    reviewSkills: (order) => send('skills/review', order),
    recordSkill: (use) => send('skill-uses', use),
  }
}
