"""What `npm run docs` writes from the description of the API."""
