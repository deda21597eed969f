/**
 * Reloads the page, so that no data is left. Component tests replace these functions, because a real load
 * would end their runner.
 */
export const pageLoader = {
  load: (path: string): void => location.assign(path),
  reload: (): void => location.reload(),
}
