import swaggerStyle from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import script from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
// Declared as a bundle, but this attribute imports the text.
import page from './docs.html' with { type: 'text' }
import start from './docs.start.txt' with { type: 'text' }
import style from './docs.style.txt' with { type: 'text' }

/**
 * Files of the API page, embedded in the executable. They are opened on request: an open file
 * counts as memory, and the runtime then collects garbage less often.
 */
export const docsFiles: Record<string, { open: () => string | Bun.BunFile; type: string }> = {
  '/docs': { open: () => String(page), type: 'text/html; charset=utf-8' },
  '/docs/start.js': { open: () => start, type: 'text/javascript; charset=utf-8' },
  '/docs/swagger-ui-bundle.js': {
    open: () => Bun.file(script),
    type: 'text/javascript; charset=utf-8',
  },
  '/docs/style.css': { open: () => style, type: 'text/css; charset=utf-8' },
  '/docs/swagger-ui.css': { open: () => Bun.file(swaggerStyle), type: 'text/css; charset=utf-8' },
}
