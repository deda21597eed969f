import { expect, it } from 'vitest'
import { makeSnippet } from './search.ts'

it('begins near the first matching word in any Unicode composition', () => {
  const text = `${'far away '.repeat(40)}il faut réparer le pont ${'and so on '.repeat(40)}`
  for (const form of ['NFC', 'NFD'] as const)
    for (const typed of ['NFC', 'NFD'] as const) {
      const snippet = makeSnippet(text.normalize(form), 'Réparer '.normalize(typed))
      expect(snippet).toMatch(/^….*il faut réparer le pont.*…$/)
    }
})
