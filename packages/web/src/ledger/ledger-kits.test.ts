import {
  budgetsReply,
  calibrationReply,
  costsReply,
  followUpsReply,
  ledgerAgentsReply,
  ledgerClaimsReply,
  ledgerOverview,
  ledgerSkillsReply,
  outcomesReply,
  skillUsesReply,
} from '@panoptes/schema'
import { expect, it } from 'vitest'
import { ledgerMonth } from './ledger-month.test-kit.ts'

it('builds only fake ledger replies that match the schemas of the server', () => {
  const month = ledgerMonth(Date.now())
  const replies = [
    [ledgerOverview, month.overview],
    [ledgerAgentsReply, { total: month.agents.length, agents: month.agents }],
    [ledgerClaimsReply, { total: month.claims.length, claims: month.claims }],
    [ledgerSkillsReply, { window_days: 30, skills: month.skills }],
    [skillUsesReply, { total: month.uses.length, uses: month.uses }],
    [costsReply, month.costs],
    [outcomesReply, month.outcomes],
    [calibrationReply, month.calibration],
    [followUpsReply, { total: month.followups.length, followups: month.followups }],
    [budgetsReply, month.budgets],
  ] as const
  for (const [schema, reply] of replies) expect(schema.parse(reply)).toEqual(reply)
})
