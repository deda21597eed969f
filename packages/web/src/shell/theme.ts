import { createStore } from '../store.ts'

export type ThemeChoice = 'dark' | 'light' | 'system'

/** `public/theme.js` reads the same key before the first paint. */
const KEY = 'panoptes.theme'

const systemIsLight = matchMedia('(prefers-color-scheme: light)')

export const themeChoice = createStore<ThemeChoice>(readChoice())

export const themeShown = createStore<'dark' | 'light'>(resolve(themeChoice.get()))

export function chooseTheme(choice: ThemeChoice): void {
  try {
    localStorage.setItem(KEY, choice)
  } catch {
    // If the browser cannot store the choice, it lasts until the tab closes.
  }
  themeChoice.set(choice)
}

export const otherTheme = (): 'dark' | 'light' => (themeShown.get() === 'dark' ? 'light' : 'dark')

function apply(): void {
  const shown = resolve(themeChoice.get())
  document.documentElement.dataset.theme = shown
  themeShown.set(shown)
}

function resolve(choice: ThemeChoice): 'dark' | 'light' {
  if (choice === 'system') return systemIsLight.matches ? 'light' : 'dark'
  return choice
}

function readChoice(): ThemeChoice {
  try {
    const stored = localStorage.getItem(KEY)
    return stored === 'light' || stored === 'system' ? stored : 'dark'
  } catch {
    return 'dark'
  }
}

themeChoice.subscribe(apply)
systemIsLight.addEventListener('change', apply)
apply()
