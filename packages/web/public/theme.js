// Runs before the first paint, so that a light page never flashes dark. `src/shell/theme.ts` owns the key.
;(() => {
  let choice = null
  try {
    choice = localStorage.getItem('panoptes.theme')
  } catch {}
  const light =
    choice === 'light' || (choice === 'system' && matchMedia('(prefers-color-scheme: light)').matches)
  document.documentElement.dataset.theme = light ? 'light' : 'dark'
})()
