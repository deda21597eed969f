import { fenced } from './fence.ts'

/** Formats a list item. Its further lines are indented, so that none can pass for another item. */
export const asItem = (text: string): string => `- ${text.replaceAll('\n', '\n  ')}`

/** Formats a list under a heading that says the items are data, whatever they contain. */
export const asList =
  (kind: string, intro: string) =>
  (items: readonly string[]): string =>
    `${intro}\n${fenced(kind, items.map(asItem).join('\n'))}`

export const asWhole =
  (kind: string, intro: string) =>
  (items: readonly string[]): string =>
    `${intro}\n${fenced(kind, items.join('\n\n'))}`
