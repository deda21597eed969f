import { fenced } from './fence.ts'

/** One thing; its further lines are set in, so that none passes for another thing. */
export const asItem = (text: string): string => `- ${text.replaceAll('\n', '\n  ')}`

/** Says what follows, which is data whatever it says. */
export const asList =
  (kind: string, intro: string) =>
  (items: readonly string[]): string =>
    `${intro}\n${fenced(kind, items.map(asItem).join('\n'))}`

export const asWhole =
  (kind: string, intro: string) =>
  (items: readonly string[]): string =>
    `${intro}\n${fenced(kind, items.join('\n\n'))}`
