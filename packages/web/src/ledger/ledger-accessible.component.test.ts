import { describe, expect } from 'vitest'
import { expectAccessible, go, it, page } from '../testing/page.tsx'
import { ledgerMonth } from './ledger-month.test-kit.ts'
import { answerLedger } from './ledger-server.test-kit.ts'

/** The address of every tab and panel, with a text that appears only there. */
const PLACES = [
  ['/ledger', 'atlas-api, week'],
  ['/ledger?tab=agents&flagged=true', /contradicted/],
  ['/ledger?tab=skills&skill=fix-flaky', 'Bash failed: Exit code 1'],
  ['/ledger?tab=claims', '37 and 4 in that call'],
  ['/ledger?tab=claims&view=calibration', /^opus said 5 min/],
  ['/ledger?tab=costs&by=model', 'claude-opus-4-8'],
  ['/ledger?tab=followups', 'take the old reader out'],
] as const

const expectNoSidewaysScroll = (path: string) => {
  const { scrollWidth, clientWidth } = document.documentElement
  expect({ path, scrollWidth }).toEqual({ path, scrollWidth: clientWidth })
}

describe('Every tab of the ledger', () => {
  it('passes axe in both themes', async ({ server, open }) => {
    answerLedger(server, ledgerMonth(Date.now()))
    await open('/ledger')
    for (const [path, text] of PLACES) {
      await go(path)
      await expect.element(page.getByText(text).first()).toBeInTheDocument()
      await expectAccessible()
      expectNoSidewaysScroll(path)
    }
  })

  it('fits a phone and passes axe there in both themes', async ({ server, open }) => {
    answerLedger(server, ledgerMonth(Date.now()))
    await open('/ledger', [390, 844])
    for (const [path, text] of PLACES) {
      await go(path)
      await expect.element(page.getByText(text).first()).toBeInTheDocument()
      await expectAccessible()
      expectNoSidewaysScroll(path)
    }
  })
})
