import { expect, it } from 'vitest'
import { snippetOf } from './snippet.ts'

it('begins near the first of the words, however its letters are put together', () => {
  const text = `${'far away '.repeat(40)}il faut réparer le pont ${'and so on '.repeat(40)}`
  for (const form of ['NFC', 'NFD'] as const)
    for (const typed of ['NFC', 'NFD'] as const) {
      const snippet = snippetOf(text.normalize(form), 'Réparer '.normalize(typed))
      expect(snippet).toMatch(/^….*il faut réparer le pont.*…$/)
    }
})
