import { redactText } from './text.ts'

const lastName = (folder: string): string | undefined => folder.split('/').findLast((name) => name !== '')

/**
 * Returns a project name without secrets. The name is usually the last part of a folder, while the text that
 * reveals a secret may precede it: of `/w/https://hooks.slack.com/services/T0/B0/KEY` the name is only the
 * key.
 */
export function cleanProject(project: string, folder: unknown): string {
  if (typeof folder !== 'string' || lastName(folder) !== project) return redactText(project).text
  const { text, removed } = redactText(folder)
  return removed === 0 ? project : redactText(lastName(text) ?? '').text
}
