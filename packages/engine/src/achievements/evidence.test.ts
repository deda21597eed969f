import { expect, it } from 'vitest'
import { SECRET_KINDS } from '../redact/secrets.test-kit.ts'
import type { Contribution } from './aggregate.ts'
import { evidenceIn } from './evidence.ts'

it('names the session behind an achievement without the secrets in its title', () => {
  for (const [kind, make] of Object.entries(SECRET_KINDS)) {
    const secret = make()
    const about = { session_id: 's', title: `use ${secret} here` } as Contribution
    const evidence = evidenceIn(about, 3)
    expect(evidence, kind).toMatchObject({ session_id: 's', value: 3 })
    expect(evidence?.title, kind).toMatch(/^use \[redacted:/)
    expect(evidence?.title, kind).not.toContain(secret)
  }
})
