/** Loads the page anew, so that nothing it knows is left. Component tests replace these: a load would end their runner. */
export const pageLoader = {
  load: (path: string): void => location.assign(path),
  reload: (): void => location.reload(),
}
